#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/delivery/effects.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace troupe::protocol {

/// What a session has decided while nobody knows whether it is still this node's: it is carried out when it is. Of the
/// records only the latest counts.
class held_effects {
public:
  /// Of one session: effects, and their bytes, those of their texts among them.
  static constexpr std::size_t most = 1'000;
  static constexpr std::size_t most_bytes = 4 * 1024 * 1024;

  /// `all` counts the bytes of what waits in all sessions, and may be null: while those have too many, this one may
  /// have as many as a backlog has then.
  explicit held_effects(std::shared_ptr<byte_total> all) : counted_{std::move(all)} {}

  void add(effects more);
  /// Why the session cannot wait any longer; nothing when it can. One that is over has nothing to wait for: what the
  /// store has of it is for whoever owns it.
  std::optional<std::string_view> trouble() const;
  /// The session is claimed with a record of its own.
  void drop_record();
  /// All, in the order in which it was decided.
  effects take();

  std::size_t bytes() const { return counted_.bytes(); }

private:
  counted_bytes counted_;
  effects held_;
  bool is_over_ = false;
};

} // namespace troupe::protocol

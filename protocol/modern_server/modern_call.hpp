#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/message/message.hpp"
#include "protocol/modern_server/client_envelope.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace troupe::protocol {

/// A request of a user to a server of 2026-07-28.
struct modern_call {
  explicit modern_call(message asked, envelope_of_user of = nullptr)
      : id{asked.id}, request{std::move(asked)}, envelope{std::move(of)} {}

  /// Whether the server may answer that it needs input of the client (2026-07-28, multi round-trip requests).
  bool may_need_input() const {
    return request.is_method("tools/call") || request.is_method("prompts/get") || request.is_method("resources/read");
  }

  /// The user's, a JSON token.
  std::string id;
  /// As the user wrote it; without its text when that is not needed again.
  message request;
  /// Null when it is that of the only user.
  envelope_of_user envelope;
  /// For that text; nothing when it is not kept.
  std::optional<byte_budget::share> bytes = {};
  /// It is a request of 2026-07-28 itself: its answer is shown as it is.
  bool passes = false;
  /// How often the server was asked.
  std::size_t round = 1;
  /// Who asked sees to the time.
  time_point deadline = time_point::max();

  /// For what is kept of it; `of_only` is that of the only user.
  byte_budget& budget(byte_budget& of_only) const { return envelope ? *envelope->kept : of_only; }
  /// All are of one user.
  static constexpr std::optional<std::uint64_t> asker() { return 0; }
};

} // namespace troupe::protocol

#pragma once

#include "protocol/time.hpp"

#include <chrono>
#include <optional>

namespace troupe::protocol {

/// Detects that this node alone has lost the store. A store that no node reaches is waited for. If another node reaches
/// it, this node leaves its stored sessions to the others.
///
/// Another node's tenure may run for a while after its last renewal. So it must outlast this node's by a whole tenure,
/// plus the time that this node may take to find a store that is back.
class store_contact {
public:
  explicit store_contact(std::chrono::milliseconds patience) : patience_{patience} {}

  /// Takes whether this node's tenure runs, and whether any other node reports that its own does. Returns whether
  /// `is_cut_off` has changed.
  bool update(bool own_runs, bool another_runs, time_point now);
  bool is_cut_off() const { return is_cut_off_; }

private:
  std::chrono::milliseconds patience_;
  /// Time since which another node's tenure runs and this node's does not.
  std::optional<time_point> since_;
  bool is_cut_off_ = false;
};

} // namespace troupe::protocol

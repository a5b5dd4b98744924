#pragma once

#include "protocol/time.hpp"

#include <chrono>
#include <optional>

namespace troupe::protocol {

/// Whether this node alone has lost the store. A store that is away for all is waited for; if another node reaches it,
/// what this node keeps there is to be left to the others.
///
/// Another's lease may run for a while after it was renewed last. So it has to run, while this node's does not, for
/// longer than a tenure, and then for as long as this node may take to find a store that is back.
class store_contact {
public:
  explicit store_contact(std::chrono::milliseconds patience) : patience_{patience} {}

  /// Whether this node's tenure runs, and that of any other node, as that says. Returns whether `is_cut_off` has
  /// changed.
  bool update(bool own_runs, bool another_runs, time_point now);
  bool is_cut_off() const { return is_cut_off_; }

private:
  std::chrono::milliseconds patience_;
  /// Since when this node's lease does not run, and another's does.
  std::optional<time_point> since_;
  bool is_cut_off_ = false;
};

} // namespace troupe::protocol

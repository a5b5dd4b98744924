#pragma once

#include "protocol/time.hpp"

#include <chrono>

namespace troupe::protocol {

/// Older process that this one, which has just started, takes the place of. Decides when this process begins to accept
/// clients, and whether it must not. Facts in, orders out.
class predecessor {
public:
  enum class order {
    wait,
    /// Accept clients: the older process has handed over, and keeps its sessions.
    take_over,
    /// Accept clients: the older process ended before it handed over.
    begin_alone,
    /// End this process: the older one runs and has not handed over.
    give_up
  };

  /// Time limit for the older process to hand over, once this one is ready.
  static constexpr std::chrono::seconds hand_over_limit{10};
  /// Time limit for the older process to end, once it has closed the link: the kernel closes that first.
  static constexpr std::chrono::seconds end_limit{1};

  explicit predecessor(time_point now) : due_{now + hand_over_limit} {}

  // -- facts
  order handed_over();
  /// The link is closed, or the older process has sent something else.
  order not_handed_over(time_point now);
  order ended();
  order tick(time_point now);

  /// Time of the next `tick`; max() once it is decided.
  time_point due() const { return due_; }

private:
  order decide(order what);

  time_point due_;
  /// True while `ended` is awaited.
  bool is_ending_ = false;
};

} // namespace troupe::protocol

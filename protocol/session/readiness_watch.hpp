#pragma once

#include "protocol/time.hpp"

#include <chrono>

namespace troupe::protocol {

/// Load balancers ask again and again whether a node is ready. A node that stops stays until it has told them that it
/// is not: they would send it requests in the moment in which it is gone. It answers them until it has answered all
/// else: one that cannot be reached any more is dead to them, and they may close the connections that it answers on.
class readiness_watch {
public:
  /// Who asks less often is not waited for.
  static constexpr std::chrono::seconds longest_pause{3};

  void asked(time_point now, bool is_ready);
  /// Whether somebody is about to ask.
  bool is_watched(time_point now) const;
  /// Whether it is somebody who has not heard that the node is not ready.
  bool is_awaited(time_point now) const { return was_ready_ && is_watched(now); }

private:
  time_point last_ = time_point::min();
  /// The last two: several may ask in turn.
  time_point::duration pause_ = time_point::duration::zero();
  time_point::duration pause_before_ = time_point::duration::zero();
  bool was_ready_ = false;
};

} // namespace troupe::protocol

#pragma once

#include "protocol/time.hpp"

#include <chrono>

namespace troupe::protocol {

/// Load balancers ask again and again whether a node is ready. One that stops stays until it has told them that it is
/// not: they would send it requests in the moment in which it is gone.
class readiness_watch {
public:
  /// Who asks less often is not waited for.
  static constexpr std::chrono::seconds longest_pause{3};

  void asked(time_point now, bool is_ready);
  /// Whether somebody is about to ask who has not heard that the node is not ready.
  bool is_awaited(time_point now) const;

private:
  time_point last_ = time_point::min();
  time_point::duration pause_ = time_point::duration::zero();
  bool was_ready_ = false;
};

} // namespace troupe::protocol

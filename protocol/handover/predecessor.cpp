#include "protocol/handover/predecessor.hpp"

namespace troupe::protocol {

predecessor::order predecessor::decide(order what) {
  due_ = time_point::max();
  return what;
}

predecessor::order predecessor::handed_over() { return decide(order::take_over); }

predecessor::order predecessor::not_handed_over(time_point now) {
  is_ending_ = true;
  due_ = now + end_limit;
  return order::wait;
}

predecessor::order predecessor::ended() { return is_ending_ ? decide(order::begin_alone) : order::wait; }

/// A process that is late may have ended, too.
predecessor::order predecessor::tick(time_point now) {
  if (now < due_)
    return order::wait;
  return is_ending_ ? decide(order::give_up) : not_handed_over(now);
}

} // namespace troupe::protocol

#include "protocol/handover/successor.hpp"

namespace troupe::protocol {

std::string successor::why_not() const {
  switch (stage_) {
  case stage::starting:
    return "another process is starting already";
  case stage::ending:
    return "the new process has not ended yet";
  default:
    return {};
  }
}

void successor::started(time_point now) {
  stage_ = stage::starting;
  due_ = now + start_limit;
}

successor::order successor::lost(bool hangs, time_point now) {
  if (stage_ != stage::serving)
    return order::none;
  stage_ = stage::ending;
  due_ = hangs ? time_point::max() : now + end_limit;
  return hangs ? order::kill : order::none;
}

successor::order successor::ended() {
  if (stage_ != stage::ending)
    return order::none;
  stage_ = stage::none;
  return order::take_back;
}

successor::order successor::not_killed() {
  if (stage_ != stage::ending)
    return order::none;
  stage_ = stage::serving;
  return order::end;
}

/// A process that closes its link and runs on has given this one up: both must not accept clients.
successor::order successor::tick(time_point now) {
  if (now < due())
    return order::none;
  const auto was_starting = is_starting();
  stage_ = was_starting ? stage::none : stage::serving;
  return was_starting ? order::kill : order::end;
}

} // namespace troupe::protocol

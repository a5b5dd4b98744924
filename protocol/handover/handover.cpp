#include "protocol/handover/handover.hpp"

#include <utility>

namespace troupe::protocol {

std::string handover::why_not() const {
  switch (stage_) {
  case stage::handed_over:
  case stage::over:
    return "it has handed over to another process already";
  case stage::lost:
    return "the new process has just ended";
  default:
    return has_other_ || awaits_other_ ? "the old process still has sessions" : std::string{};
  }
}

void handover::hand_over(bool can_take_back) {
  stage_ = stage::handed_over;
  can_take_back_ = can_take_back;
  is_confirmed_ = is_alive_ = leaves_ = closes_ = false;
}

handover_effects handover::use(bool has_sessions, bool has_other) {
  has_sessions_ = has_sessions;
  has_other_ = has_other;
  if (has_other)
    awaits_other_ = false;
  handover_effects result;
  if (stage_ == stage::handed_over && has_other && !is_confirmed_) {
    is_confirmed_ = true;
    result.push_back(handover_effect::confirm);
  }
  for (auto what : end_if_unused())
    result.push_back(what);
  return result;
}

handover_effects handover::take(peer_fact what) {
  if (stage_ != stage::handed_over)
    return {};
  switch (what) {
  case peer_fact::alive:
    is_alive_ = true;
    return end_if_unused();
  case peer_fact::leaves:
    leaves_ = true;
    return {handover_effect::close_sockets};
  case peer_fact::closed:
    return lose(handover_effect::report_closed);
  case peer_fact::silent:
    return lose(handover_effect::report_silent);
  default:
    return late();
  }
}

bool handover::take_back() {
  if (stage_ != stage::lost)
    return false;
  stage_ = stage::serving;
  return true;
}

handover_effects handover::lose(handover_effect report) {
  if (leaves_ || !can_take_back_)
    return end();
  stage_ = stage::lost;
  return {report};
}

/// Closes the sessions first: while their calls finish, this process can still accept clients again.
handover_effects handover::late() {
  if (!std::exchange(closes_, true))
    return {handover_effect::close_sessions};
  stage_ = stage::over;
  return {handover_effect::close_sockets, handover_effect::hurry, handover_effect::end};
}

handover_effects handover::end() {
  stage_ = stage::over;
  return {handover_effect::close_sockets, handover_effect::end};
}

/// Without sessions this process is needed until the newer one is known to serve.
handover_effects handover::end_if_unused() {
  const auto is_left = stage_ == stage::handed_over && is_confirmed_ && (is_alive_ || !can_take_back_);
  return is_left && !has_sessions_ ? end() : handover_effects{};
}

} // namespace troupe::protocol

#include "protocol/handover/process_watch.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

/// First bytes of the frames. Those of requests and answers are small numbers.
constexpr char alive_frame = '\xF0';
constexpr char leaves_frame = '\xF1';

} // namespace

std::string sign_frame(peer_sign which) {
  return std::string(1, which == peer_sign::alive ? alive_frame : leaves_frame);
}

std::optional<peer_sign> read_sign(std::string_view frame) {
  if (frame.size() != 1 || (frame.front() != alive_frame && frame.front() != leaves_frame))
    return std::nullopt;
  return frame.front() == alive_frame ? peer_sign::alive : peer_sign::leaves;
}

/// Counts a late tick as one interval: this process may have paused, and not the other.
bool process_watch::tick(time_point now) {
  silence_ += std::clamp<std::chrono::nanoseconds>(now - last_, std::chrono::nanoseconds{}, interval);
  last_ = now;
  return silence_ >= limit && !(has_signed_off_ && has_sessions_);
}

} // namespace troupe::protocol

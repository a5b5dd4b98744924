#include "protocol/session/session_limits.hpp"

namespace troupe::protocol {

void session_lifetime::close(const session_closing& how, time_point now) {
  closing_ = how.why;
  if (how.at_once)
    closes_by_ = time_point::max();
  else if (how.grace)
    closes_by_ = std::min(closes_by_, now + *how.grace);
  for_good_ = for_good_ || how.for_good;
}

std::optional<std::string> session_lifetime::expired(use of, const session_limits& limits, time_point now) const {
  if (of.is_fresh && now >= begun_ + limits.initialize)
    return "its client did not initialize it";
  if (!of.is_busy && now >= touched_ + patience(limits))
    return is_abandoned_ ? "its client lost its stream and did not come back" : "it was idle";
  return std::nullopt;
}

std::chrono::milliseconds session_lifetime::patience(const session_limits& limits) const {
  return is_abandoned_ ? std::min(limits.abandoned, limits.idle) : limits.idle;
}

time_point session_lifetime::deadline(use of, const session_limits& limits) const {
  return std::min({of.is_fresh ? begun_ + limits.initialize : time_point::max(),
                   of.is_busy ? time_point::max() : touched_ + patience(limits), closes_by_});
}

} // namespace troupe::protocol

#include "protocol/session/readiness_watch.hpp"

namespace troupe::protocol {

void readiness_watch::asked(time_point now, bool is_ready) {
  if (last_ != time_point::min())
    pause_ = now - last_;
  last_ = now;
  was_ready_ = is_ready;
}

bool readiness_watch::is_awaited(time_point now) const {
  auto is_regular = pause_ > pause_.zero() && pause_ <= longest_pause;
  return was_ready_ && is_regular && now < last_ + 2 * pause_;
}

} // namespace troupe::protocol

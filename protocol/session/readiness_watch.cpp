#include "protocol/session/readiness_watch.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

void readiness_watch::asked(time_point now, bool is_ready) {
  if (last_ != time_point::min())
    pause_before_ = std::exchange(pause_, now - last_);
  last_ = now;
  was_ready_ = is_ready;
}

bool readiness_watch::is_watched(time_point now) const {
  auto pause = std::max(pause_, pause_before_);
  auto is_regular = pause > pause.zero() && pause <= longest_pause;
  return is_regular && now < last_ + 2 * pause;
}

} // namespace troupe::protocol

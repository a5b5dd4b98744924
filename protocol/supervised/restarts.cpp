#include "protocol/supervised/restarts.hpp"

#include <algorithm>

namespace troupe::protocol {

restart_pause restarts::lost(time_point now) {
  auto steady = was_steady(now);
  runs_since_.reset();
  early_losses_ = steady ? 0 : early_losses_ + 1;
  starts_ = steady ? 0 : starts_;
  if (!steady && early_losses_ >= limits_.attempts)
    return {limits_.rest, true};
  return {starts_++ == 0 ? std::chrono::milliseconds{0} : next_delay(), false};
}

std::chrono::milliseconds restarts::next_delay() {
  // No more doublings are needed from any pause to the longest; there is none from zero.
  auto doublings = std::min<std::size_t>(starts_ - 2, 30);
  auto grown = std::min(limits_.first_delay, limits_.longest_delay);
  while (doublings-- > 0 && grown < limits_.longest_delay)
    grown = std::min(grown * 2, limits_.longest_delay);
  auto percent = 80 + static_cast<std::int64_t>(dice_() % 41);
  return grown * percent / 100;
}

} // namespace troupe::protocol

#include "protocol/supervised/restarts.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

void start_breaker::failed(time_point now) {
  ++failures_;
  last_ = now;
  before_claim_.reset();
}

std::optional<std::chrono::milliseconds> start_breaker::refuses(time_point now) const {
  if (failures_ < attempts_ || now >= last_ + rest_)
    return std::nullopt;
  return std::chrono::ceil<std::chrono::milliseconds>(last_ + rest_ - now);
}

std::optional<std::chrono::milliseconds> start_breaker::claims(time_point now) {
  auto result = refuses(now);
  if (!result && failures_ >= attempts_)
    before_claim_ = std::exchange(last_, now);
  return result;
}

void start_breaker::unclaim() {
  if (auto before = std::exchange(before_claim_, std::nullopt))
    last_ = *before;
}

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
  // 30 doublings take any pause to the longest; a pause of zero does not grow.
  auto doublings = std::min<std::size_t>(starts_ - 2, 30);
  auto grown = std::min(limits_.first_delay, limits_.longest_delay);
  while (doublings-- > 0 && grown < limits_.longest_delay)
    grown = std::min(grown * 2, limits_.longest_delay);
  auto percent = 80 + static_cast<std::int64_t>(dice_() % 41);
  return grown * percent / 100;
}

} // namespace troupe::protocol

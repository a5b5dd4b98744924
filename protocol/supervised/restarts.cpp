#include "protocol/supervised/restarts.hpp"

#include <utility>

namespace troupe::protocol {

/// Only the failure of a claimed start makes the next rest longer: many starts may fail at once before the first rest.
void start_breaker::failed(time_point now) {
  ++failures_;
  last_ = now;
  if (std::exchange(before_claim_, std::nullopt))
    rest_ = rests_.next();
}

void start_breaker::worked() {
  failures_ = 0;
  before_claim_.reset();
  rests_.reset();
  rest_ = rests_.next();
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
  if (steady)
    begin_again();
  if (!steady && early_losses_ >= limits_.attempts)
    return {rest_.next(), true};
  return {std::exchange(has_restarted_, true) ? next_delay() : std::chrono::milliseconds{0}, false};
}

void restarts::begin_again() {
  has_restarted_ = false;
  delay_.reset();
  rest_.reset();
}

std::chrono::milliseconds restarts::next_delay() {
  auto percent = 80 + static_cast<std::int64_t>(dice_() % 41);
  return delay_.next() * percent / 100;
}

} // namespace troupe::protocol

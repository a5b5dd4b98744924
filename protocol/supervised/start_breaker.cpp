#include "protocol/supervised/start_breaker.hpp"

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

} // namespace troupe::protocol

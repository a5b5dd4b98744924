#pragma once

#include "protocol/time.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// How often something may happen.
struct rate {
  /// What one costs: so long it takes until the bucket has another token. Zero: as often as one likes.
  std::chrono::nanoseconds interval = {};
  /// As many may come at the same moment.
  std::size_t burst = 1;
};

constexpr bool is_limited(const rate& one) { return one.interval != std::chrono::nanoseconds::zero(); }

/// `count` in `period`, and twice as many at once after a rest; without limit when `count` is 0.
constexpr rate rate_of(std::size_t count, std::chrono::nanoseconds period) {
  if (count == 0)
    return {};
  return {std::max(period / static_cast<std::chrono::nanoseconds::rep>(count), std::chrono::nanoseconds{1}), 2 * count};
}

/// A token bucket that keeps one time only: when it will be full again (the generic cell rate algorithm).
class token_bucket {
public:
  /// Takes a token, if there is one.
  bool take(const rate& by, time_point now) {
    if (wait(by, now) > wait_time::zero())
      return false;
    full_at_ = std::max(full_at_, now) + by.interval;
    return true;
  }

  using wait_time = time_point::duration;
  /// How long it takes until there is a token; zero when there is one.
  wait_time wait(const rate& by, time_point now) const {
    auto debt = std::max(full_at_, now) + by.interval - now;
    return std::max(debt - by.interval * static_cast<wait_time::rep>(by.burst), wait_time::zero());
  }

  /// Whether it is as good as new.
  bool is_full(time_point now) const { return full_at_ <= now; }

private:
  time_point full_at_ = time_point::min();
};

/// How many sessions leave a node that drains slowly, each second or each minute.
struct drain_rate {
  std::uint32_t sessions = 1;
  std::chrono::seconds each = std::chrono::seconds{1};

  friend bool operator==(const drain_rate&, const drain_rate&) = default;
};

/// Most that a rate says.
inline constexpr std::uint32_t most_to_leave = 10'000;

/// Reads `20`, `20/s` or `90/min`; nothing when it is none of them.
std::optional<drain_rate> read_drain_rate(std::string_view text);
/// `20/s` or `90/min`
std::string drain_rate_text(const drain_rate& rate);
/// What is wrong with a text that is no rate.
std::string no_drain_rate(std::string_view text);

} // namespace troupe::protocol

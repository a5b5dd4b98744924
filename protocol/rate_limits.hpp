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

/// Rate at which something may happen.
struct rate {
  /// Time until the bucket gets another token; zero means no limit.
  std::chrono::nanoseconds interval = {};
  /// Number of tokens that may be taken at the same moment.
  std::size_t burst = 1;
};

constexpr bool is_limited(const rate& one) { return one.interval != std::chrono::nanoseconds::zero(); }

/// Returns the rate of `count` per `period`, with bursts of twice as many after a rest; no limit if `count` is 0.
constexpr rate rate_of(std::size_t count, std::chrono::nanoseconds period) {
  if (count == 0)
    return {};
  return {std::max(period / static_cast<std::chrono::nanoseconds::rep>(count), std::chrono::nanoseconds{1}), 2 * count};
}

/// Token bucket that stores only the time when it will be full again (the generic cell rate algorithm).
class token_bucket {
public:
  /// Takes a token; false if there is none.
  bool try_acquire(const rate& by, time_point now) {
    if (wait(by, now) > wait_time::zero())
      return false;
    spend(by.interval, now);
    return true;
  }

  using wait_time = time_point::duration;
  /// Takes what the bucket gets in that time, even if there is less.
  void spend(wait_time worth, time_point now) { full_at_ = std::max(full_at_, now) + worth; }
  /// Returns the time until there is a token; zero if there is one.
  wait_time wait(const rate& by, time_point now) const {
    auto debt = std::max(full_at_, now) + by.interval - now;
    return std::max(debt - by.interval * static_cast<wait_time::rep>(by.burst), wait_time::zero());
  }

  /// Time when no token is missing any more.
  time_point full_at() const { return full_at_; }
  bool is_full(time_point now) const { return full_at_ <= now; }

private:
  time_point full_at_ = time_point::min();
};

/// Rate at which sessions leave a slowly draining node, per second or per minute.
struct drain_rate {
  std::uint32_t sessions = 1;
  std::chrono::seconds each = std::chrono::seconds{1};

  friend bool operator==(const drain_rate&, const drain_rate&) = default;
};

/// Largest number of sessions in a rate.
inline constexpr std::uint32_t most_to_leave = 10'000;

/// Parses `20`, `20/s` or `90/min`; nullopt for other texts.
std::optional<drain_rate> read_drain_rate(std::string_view text);
/// Formats a rate: `20/s` or `90/min`.
std::string drain_rate_text(const drain_rate& rate);
/// Returns the error for a text that is not a rate.
std::string no_drain_rate(std::string_view text);

} // namespace troupe::protocol

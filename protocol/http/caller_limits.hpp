#pragma once

#include "protocol/rate_limits.hpp"
#include "protocol/rejection.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>

namespace troupe::protocol {

/// Limits of one caller; zero means no limit.
struct caller_rules {
  std::size_t requests_per_second = 0;
  std::size_t initializes_per_minute = 0;
  /// POST requests that await their answer.
  std::size_t calls = 0;
};

/// Rate limits of callers, each a principal or the clients at one address, so that none uses up the capacity of others.
/// Idle callers are soon forgotten. Up to `most` callers are tracked; further ones are not limited until some of these
/// become idle.
class caller_limits {
public:
  static constexpr std::size_t most = 100'000;

  explicit caller_limits(const caller_rules& rules);

  /// Counts a request; returns the rejection if the caller exceeds its limit.
  std::optional<rejection> request(const std::string& who, time_point now);
  /// Counts the beginning of a session.
  std::optional<rejection> initialize(const std::string& who, time_point now);
  /// Counts a call that awaits an answer, until `call_ended`; a refused call is not counted.
  std::optional<rejection> call(const std::string& who, time_point now);
  void call_ended(const std::string& who, time_point now);

  std::size_t size() const { return known_.size(); }

private:
  struct caller {
    token_bucket requests;
    token_bucket initializes;
    std::size_t calls = 0;
    bool rests(time_point now) const { return calls == 0 && requests.is_full(now) && initializes.is_full(now); }
  };

  caller* find(const std::string& who, time_point now);
  void forget_resting(time_point now);

  rate requests_;
  rate initializes_;
  std::size_t calls_;
  std::unordered_map<std::string, caller> known_;
  /// Earliest time of the next search for idle callers.
  time_point next_look_ = time_point::min();
};

} // namespace troupe::protocol

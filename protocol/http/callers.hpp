#pragma once

#include "protocol/rate_limits.hpp"
#include "protocol/rejection.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace troupe::protocol {

/// What a caller may ask for; zero means without limit.
struct caller_rules {
  std::size_t requests_per_second = 0;
  std::size_t initializes_per_minute = 0;
  /// POST requests that await their answer.
  std::size_t calls = 0;
};

/// What each caller has asked for, a principal or the clients at one address, so that none uses up what others need. Of
/// one who asks for nothing, nothing is kept for long; `most` are remembered, and further ones are not limited
/// until some of these rest.
class callers {
public:
  static constexpr std::size_t most = 100'000;

  explicit callers(const caller_rules& rules);

  /// A request has come: why it is refused, if it is.
  std::optional<rejection> request(const std::string& who, time_point now);
  /// It begins a session.
  std::optional<rejection> initialize(const std::string& who, time_point now);
  /// It awaits an answer, until `call_ended`; not when it is refused.
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
  /// Those that rest are not looked for before.
  time_point next_look_ = time_point::min();
};

} // namespace troupe::protocol

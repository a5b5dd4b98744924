#include "protocol/http/caller_limits.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace troupe::protocol {

namespace {

/// Time between two searches for idle callers.
constexpr std::chrono::seconds between_looks{1};

/// Refuses a request until there is a token again.
rejection over_limit(std::string what, token_bucket::wait_time wait) {
  return too_many_requests(std::move(what),
                           std::max(std::chrono::ceil<std::chrono::seconds>(wait), std::chrono::seconds{1}));
}

} // namespace

caller_limits::caller_limits(const caller_rules& rules)
    : requests_{rate_of(rules.requests_per_second, std::chrono::seconds{1})},
      initializes_{rate_of(rules.initializes_per_minute, std::chrono::minutes{1})}, calls_{rules.calls} {}

std::optional<rejection> caller_limits::request(const std::string& who, time_point now) {
  auto* one = is_limited(requests_) ? find(who, now) : nullptr;
  if (one && !one->requests.try_acquire(requests_, now))
    return over_limit("this client sends more than limits.perAddress.requestsPerSecond",
                      one->requests.wait(requests_, now));
  return std::nullopt;
}

std::optional<rejection> caller_limits::initialize(const std::string& who, time_point now) {
  auto* one = is_limited(initializes_) ? find(who, now) : nullptr;
  if (one && !one->initializes.try_acquire(initializes_, now))
    return over_limit("this client begins more sessions than limits.perAddress.initializesPerMinute",
                      one->initializes.wait(initializes_, now));
  return std::nullopt;
}

std::optional<rejection> caller_limits::call(const std::string& who, time_point now) {
  auto* one = calls_ != 0 ? find(who, now) : nullptr;
  if (!one)
    return std::nullopt;
  if (one->calls == calls_)
    return over_limit("limits.perAddress.calls of this client await their answers", {});
  ++one->calls;
  return std::nullopt;
}

void caller_limits::call_ended(const std::string& who, time_point now) {
  auto found = known_.find(who);
  if (found == known_.end() || found->second.calls == 0)
    return;
  --found->second.calls;
  if (found->second.rests(now))
    known_.erase(found);
}

/// Returns the caller, which is added if new; null if too many others are tracked.
caller_limits::caller* caller_limits::find(const std::string& who, time_point now) {
  if (auto found = known_.find(who); found != known_.end())
    return &found->second;
  if (now >= next_look_)
    forget_resting(now);
  return known_.size() < most ? &known_[who] : nullptr;
}

void caller_limits::forget_resting(time_point now) {
  std::erase_if(known_, [&](auto& one) { return one.second.rests(now); });
  next_look_ = now + between_looks;
}

} // namespace troupe::protocol

#pragma once

#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <optional>

namespace troupe::protocol {

/// A circuit breaker for a server that fails before it answers: after some failures in a row starts are refused for a
/// while, then one is allowed.
class start_breaker {
public:
  start_breaker(std::size_t attempts, std::chrono::milliseconds rest) : attempts_{attempts}, rest_{rest} {}

  void failed(time_point now);
  void worked() {
    failures_ = 0;
    before_claim_.reset();
  }
  /// How long starts are still refused; nothing when one may try now.
  std::optional<std::chrono::milliseconds> refuses(time_point now) const;
  /// The same, and claims the start that is allowed: no other is until the next rest is over.
  std::optional<std::chrono::milliseconds> claims(time_point now);
  /// The start that was claimed did not take place: another may be claimed at once.
  void unclaim();

private:
  std::size_t attempts_;
  std::chrono::milliseconds rest_;
  std::size_t failures_ = 0;
  time_point last_ = {};
  /// The last failure before the claim that is open.
  std::optional<time_point> before_claim_;
};

} // namespace troupe::protocol

#pragma once

#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>

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

/// How often a server that is lost is started again.
struct restart_limits {
  /// The first pause; each further one is twice as long, up to the longest. They vary by a fifth.
  std::chrono::milliseconds first_delay{500};
  std::chrono::milliseconds longest_delay{std::chrono::seconds{30}};
  /// A server that is lost this often, each time before it has run for `steady`, is left alone for `rest`.
  std::size_t attempts = 5;
  std::chrono::milliseconds steady{std::chrono::seconds{10}};
  std::chrono::milliseconds rest{std::chrono::minutes{1}};
};

/// What comes before the next start.
struct restart_pause {
  std::chrono::milliseconds length{};
  /// The server was lost too often.
  bool rests = false;

  friend bool operator==(const restart_pause&, const restart_pause&) = default;
};

/// When a server that was lost is started again: at once, then after growing pauses, then rarely. The pauses of servers
/// that were lost together differ, so that they do not come back together.
class restarts {
public:
  restarts(const restart_limits& limits, std::uint64_t seed)
      : limits_{limits}, dice_{static_cast<std::minstd_rand::result_type>(seed)} {}

  /// The server answers: it runs from now on.
  void ready(time_point now) { runs_since_ = now; }
  /// What it has lost so far is not held against it any more.
  void forgive() {
    runs_since_.reset();
    early_losses_ = starts_ = 0;
  }
  /// The server is lost, or was never ready.
  restart_pause lost(time_point now);

private:
  bool was_steady(time_point now) const { return runs_since_ && now - *runs_since_ >= limits_.steady; }
  std::chrono::milliseconds next_delay();

  restart_limits limits_;
  /// Eight bytes, where a Mersenne Twister takes 2.5 KB in each session that has a server of its own.
  std::minstd_rand dice_;
  std::optional<time_point> runs_since_;
  /// Losses in a row, none of them after a steady run.
  std::size_t early_losses_ = 0;
  /// Starts since it was last steady.
  std::size_t starts_ = 0;
};

} // namespace troupe::protocol

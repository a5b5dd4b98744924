#pragma once

#include "protocol/backoff.hpp"
#include "protocol/time.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>

namespace troupe::protocol {

/// Returns the pauses of a server that keeps failing: the first is `rest`, and each further one doubles, up to five
/// times `rest` or five minutes, but never below `rest`.
inline backoff rests_from(std::chrono::milliseconds rest) {
  constexpr std::chrono::milliseconds longest = std::chrono::minutes{5};
  return {rest, std::min(5 * rest, std::max(rest, longest))};
}

/// Circuit breaker for a server that fails before it answers. After `attempts` failures in a row, starts are refused
/// for `rest`, then one start is allowed. If it fails too, the next pause is longer, see `rests_from`.
class start_breaker {
public:
  start_breaker(std::size_t attempts, std::chrono::milliseconds rest)
      : attempts_{attempts}, rests_{rests_from(rest)}, rest_{rests_.next()} {}

  void failed(time_point now);
  void worked();
  /// Returns for how long starts are still refused; empty when a start is allowed.
  std::optional<std::chrono::milliseconds> refuses(time_point now) const;
  /// Like `refuses`, but also claims the allowed start: no other is allowed until the next rest is over.
  std::optional<std::chrono::milliseconds> claims(time_point now);
  /// The claimed start did not take place: another may be claimed at once.
  void unclaim();

private:
  std::size_t attempts_;
  backoff rests_;
  std::chrono::milliseconds rest_;
  std::size_t failures_ = 0;
  time_point last_ = {};
  /// Time of the last failure before the open claim.
  std::optional<time_point> before_claim_;
};

/// Limits for restarts of a server that exited or disconnected: a loss.
struct restart_limits {
  /// First pause; each further pause doubles, up to the longest. Pauses vary by a fifth.
  std::chrono::milliseconds first_delay{500};
  std::chrono::milliseconds longest_delay{std::chrono::seconds{30}};
  /// After this many losses in a row, each before a run of `steady`, the server stays stopped for `rest`. Each further
  /// loss makes that pause longer, see `rests_from`.
  std::size_t attempts = 5;
  std::chrono::milliseconds steady{std::chrono::seconds{10}};
  std::chrono::milliseconds rest{std::chrono::minutes{1}};
};

/// Pause before the next start.
struct restart_pause {
  std::chrono::milliseconds length{};
  /// True if the server exited or disconnected too often.
  bool rests = false;

  friend bool operator==(const restart_pause&, const restart_pause&) = default;
};

/// Schedules restarts after losses: at once, then after growing pauses, then rarely. The pauses vary, so that servers
/// lost together do not restart together.
class restarts {
public:
  restarts(const restart_limits& limits, std::uint64_t seed)
      : limits_{limits}, delay_{limits.first_delay, limits.longest_delay}, rest_{rests_from(limits.rest)},
        dice_{static_cast<std::minstd_rand::result_type>(seed)} {}

  /// The server answers: its run begins now.
  void ready(time_point now) { runs_since_ = now; }
  /// Forgets all earlier losses.
  void forget_failures() {
    runs_since_.reset();
    early_losses_ = 0;
    begin_again();
  }
  /// The server exited, disconnected or was never ready. Returns the pause before the next start.
  restart_pause lost(time_point now);

private:
  bool was_steady(time_point now) const { return runs_since_ && now - *runs_since_ >= limits_.steady; }
  /// Lets the next restart happen at once.
  void begin_again();
  std::chrono::milliseconds next_delay();

  restart_limits limits_;
  backoff delay_;
  backoff rest_;
  /// Eight bytes; a Mersenne Twister takes 2.5 KB in each session that has a server of its own.
  std::minstd_rand dice_;
  std::optional<time_point> runs_since_;
  /// Losses in a row without a steady run.
  std::size_t early_losses_ = 0;
  /// True after the first restart since the last steady run.
  bool has_restarted_ = false;
};

} // namespace troupe::protocol

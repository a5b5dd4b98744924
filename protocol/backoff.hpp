#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace troupe::protocol {

/// Exponential backoff: pauses between attempts that double from the first to the longest.
class backoff {
public:
  using duration = std::chrono::milliseconds;

  /// Starts with the longest pause if `first` is longer. A first pause of zero does not grow.
  constexpr backoff(duration first, duration longest) : first_{std::min(first, longest)}, longest_{longest} {}

  /// Returns the pause before the next attempt, after one has failed.
  constexpr duration next() { return last_ = following(last_, first_, longest_); }
  /// Pause that `next` returned last; zero if no attempt has failed.
  constexpr duration last() const { return last_; }
  /// Starts again with the first pause, after an attempt has succeeded.
  constexpr void reset() { last_ = duration::zero(); }

  /// Returns the pause that follows one of length `last`, which is zero before the first.
  static constexpr duration following(duration last, duration first, duration longest) {
    return std::clamp(2 * last, first, longest);
  }
  /// Returns the pause after so many failures in a row; zero after none.
  static constexpr duration after(std::size_t failures, duration first, duration longest) {
    backoff pause{first, longest};
    for (; first > duration::zero() && failures > 0 && pause.last() < longest; --failures)
      pause.next();
    return pause.last();
  }

private:
  duration first_;
  duration longest_;
  duration last_ = duration::zero();
};

} // namespace troupe::protocol

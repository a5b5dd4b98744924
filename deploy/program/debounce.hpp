#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace troupe::deploy {

/// Turns the many events of a file that is being written into one change: it waits until no event came for a while.
class debounce {
public:
  using time_point = std::chrono::steady_clock::time_point;

  static constexpr auto rest = std::chrono::milliseconds{200};
  /// A file that is never at rest is a change after this long.
  static constexpr auto longest = std::chrono::seconds{2};

  /// An event came.
  void touched(time_point now) {
    if (!first_)
      first_ = now;
    last_ = now;
  }

  /// When the file is at rest, unless a further event comes; nothing when none came.
  std::optional<time_point> due() const {
    return first_ ? std::optional(std::min<time_point>(last_ + rest, *first_ + longest)) : std::nullopt;
  }

  /// True once for each change.
  bool settled(time_point now) {
    const auto when = due();
    if (!when || now < *when)
      return false;
    first_.reset();
    return true;
  }

private:
  std::optional<time_point> first_;
  time_point last_;
};

} // namespace troupe::deploy

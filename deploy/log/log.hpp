#pragma once

#include "actors/troupe/gateway.hpp"

#include <chrono>
#include <cstdint>
#include <functional>

namespace troupe::deploy {

/// When the log is told how many of its lines, and of the access log's, were never written: the first time soon, and
/// while more are lost once a minute.
class lost_lines {
public:
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds between_looks{1};
  static constexpr std::chrono::minutes between_words{1};

  explicit lost_lines(time_point now) : next_look_(now + between_looks) {}

  /// When to look next.
  time_point due() const { return next_look_; }
  /// How many are to be told of, when so many were lost since the beginning; mostly 0.
  std::uint64_t look(std::uint64_t lost, time_point now) {
    next_look_ = now + between_looks;
    if (lost == told_ || now < next_word_)
      return 0;
    next_word_ = now + between_words;
    const auto result = lost - told_;
    told_ = lost;
    return result;
  }

private:
  time_point next_look_;
  time_point next_word_ = time_point::min();
  std::uint64_t told_ = 0;
};

enum class log_format { text, json };

/// Where events go, and how many lines of them were lost so far.
struct log_output {
  log_sink write;
  /// From which level on they are written, which may change while others write. They do nothing once the last copy of
  /// `write` is gone.
  std::function<log_level()> level;
  std::function<void(log_level)> set_level;
  /// Counts no more once the last copy of `write` is gone.
  std::function<std::uint64_t()> lost;
};

/// A log on stderr, one line for each record of at least `threshold`. Lines are written by a thread of its own: a
/// reader that is slow costs the oldest lines, never the gateway's time. Destroying the last copy of `write` writes
/// what is left.
log_output stderr_log(log_level threshold, log_format format);

} // namespace troupe::deploy

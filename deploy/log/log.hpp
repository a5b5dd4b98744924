#pragma once

#include "actors/troupe/gateway.hpp"

#include <chrono>
#include <cstdint>
#include <functional>

namespace troupe::deploy {

/// Schedule of warnings about log and access log lines that were never written. The first warning follows the loss
/// within a second; while more lines are lost, one a minute.
class lost_lines {
public:
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds between_looks{1};
  static constexpr std::chrono::minutes between_words{1};

  explicit lost_lines(time_point now) : next_look_(now + between_looks) {}

  /// Time of the next call to `look`.
  time_point due() const { return next_look_; }
  /// Returns the number of lost lines to report now, mostly 0. `lost` is the total since the start.
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

/// Sink of log records, with its level and its count of dropped lines.
struct log_output {
  log_sink write;
  /// Get and set the lowest level that is written; safe while other threads write. They have no effect once the last
  /// copy of `write` is gone.
  std::function<log_level()> level;
  std::function<void(log_level)> set_level;
  /// Number of lines dropped so far; 0 once the last copy of `write` is gone.
  std::function<std::uint64_t()> lost;
};

/// Creates a log on stderr: a line for each record of level `threshold` or higher. A thread of its own writes the
/// lines: a slow reader costs the oldest lines and never blocks the gateway. Destroying the last copy of `write` writes
/// the remaining lines.
log_output stderr_log(log_level threshold, log_format format);

} // namespace troupe::deploy

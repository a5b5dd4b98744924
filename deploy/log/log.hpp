#pragma once

#include "actors/troupe/gateway.hpp"

#include <cstdint>
#include <functional>

namespace troupe::deploy {

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

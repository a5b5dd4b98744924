#pragma once

#include "protocol/time.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace troupe::protocol {

/// When an SSE stream to a client needs a comment, because nothing was written to it for a while.
class keep_alive {
public:
  /// Proxies and clients close a connection that is silent for longer than `longest_silence`.
  keep_alive(std::chrono::milliseconds longest_silence, time_point now)
      : longest_silence_{longest_silence}, spoke_{now} {}

  /// Something was written.
  void spoke(time_point now) { spoke_ = now; }
  /// A comment, when the silence has lasted.
  std::optional<std::string> tick(time_point now);
  /// When `tick` has something to do.
  time_point deadline() const { return spoke_ + longest_silence_; }

private:
  std::chrono::milliseconds longest_silence_;
  time_point spoke_;
};

} // namespace troupe::protocol

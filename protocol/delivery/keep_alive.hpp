#pragma once

#include "protocol/text/sse.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace troupe::protocol {

/// Timer for the comments that keep a silent SSE stream to a client alive.
class keep_alive {
public:
  /// `longest_silence` must be shorter than the time after which proxies and clients close a silent connection.
  keep_alive(std::chrono::milliseconds longest_silence, time_point now)
      : longest_silence_{longest_silence}, spoke_{now} {}

  /// Notes that bytes were written.
  void spoke(time_point now) { spoke_ = now; }
  /// Returns a comment if the silence has lasted too long.
  std::optional<std::string> tick(time_point now) {
    if (now < deadline())
      return std::nullopt;
    spoke_ = now;
    return comment("keepalive");
  }
  /// When `tick` has something to do.
  time_point deadline() const { return spoke_ + longest_silence_; }

private:
  std::chrono::milliseconds longest_silence_;
  time_point spoke_;
};

} // namespace troupe::protocol

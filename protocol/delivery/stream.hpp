#pragma once

#include "protocol/time.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace troupe::protocol {

/// The rule of one SSE stream on its way to a client: when a sign of life is due.
class stream {
public:
  /// `keep_alive` is the longest silence: proxies and clients close what is silent for longer.
  stream(std::chrono::milliseconds keep_alive, time_point now) : keep_alive_{keep_alive}, spoke_{now} {}

  /// Something was written.
  void spoke(time_point now) { spoke_ = now; }
  /// A comment, when the silence has lasted.
  std::optional<std::string> tick(time_point now);
  /// When `tick` has something to do.
  time_point deadline() const { return spoke_ + keep_alive_; }

private:
  std::chrono::milliseconds keep_alive_;
  time_point spoke_;
};

} // namespace troupe::protocol

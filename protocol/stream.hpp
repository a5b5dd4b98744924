#pragma once

#include "protocol/time.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace troupe::protocol {

/// The rules of one SSE stream: how a message is written on it, and when a sign of life is due.
class stream {
public:
  /// `keep_alive` is the longest silence: proxies and clients close what is silent for longer.
  stream(std::chrono::milliseconds keep_alive, time_point now) : keep_alive_{keep_alive}, spoke_{now} {}

  /// A message as it goes on the wire.
  std::string published(std::string text, time_point now);
  /// A comment, when the silence has lasted.
  std::optional<std::string> tick(time_point now);
  /// When `tick` has something to do.
  time_point deadline() const { return spoke_ + keep_alive_; }

private:
  std::chrono::milliseconds keep_alive_;
  time_point spoke_;
};

} // namespace troupe::protocol

#pragma once

#include "protocol/delivery/effects.hpp"
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

/// Effects on one stream that follow each other: its beginning, events of it, its end.
struct stream_part {
  exchange_id exchange = 0;
  bool begins = false;
  /// As they go on the wire.
  std::string events = {};
  bool ends = false;
  friend bool operator==(const stream_part&, const stream_part&) = default;
};

/// Takes the effects on a stream from `at` on, and moves `at` behind them; nothing when the one there is of no stream.
/// A part that is over 64 KiB takes no more events.
std::optional<stream_part> take_stream_part(effects::iterator& at, effects::iterator end);

} // namespace troupe::protocol

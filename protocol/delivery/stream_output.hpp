#pragma once

#include "protocol/delivery/effects.hpp"
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
  std::optional<std::string> tick(time_point now);
  /// When `tick` has something to do.
  time_point deadline() const { return spoke_ + longest_silence_; }

private:
  std::chrono::milliseconds longest_silence_;
  time_point spoke_;
};

/// Consecutive effects on one stream: its beginning, its events, its end.
struct stream_part {
  exchange_id exchange = 0;
  bool begins = false;
  /// Events in SSE encoding.
  std::string events = {};
  bool ends = false;
  friend bool operator==(const stream_part&, const stream_part&) = default;
};

/// Takes the effects on one stream from `at` on, and moves `at` behind them; empty if the effect at `at` is on no
/// stream. Takes no more events once they are over 64 KiB.
std::optional<stream_part> take_stream_part(effects::iterator& at, effects::iterator end);

} // namespace troupe::protocol

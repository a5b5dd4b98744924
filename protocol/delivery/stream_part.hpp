#pragma once

#include "protocol/delivery/effects.hpp"

#include <optional>
#include <string>

namespace troupe::protocol {

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

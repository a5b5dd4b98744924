#pragma once

#include "protocol/delivery/effects.hpp"

#include <optional>
#include <string>

namespace troupe::protocol {

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

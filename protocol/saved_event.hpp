#pragma once

#include "protocol/effects.hpp"

#include <cstdint>
#include <string>

namespace troupe::protocol {

/// An event as a store outside of this node keeps it: which stream of the session, its place there, and the message.
/// Place 0 says what the stream is for instead, in the form that `session_record` gives it.
struct saved_event {
  exchange_id stream = 0;
  std::uint64_t place = 0;
  std::string text;
  /// An answer or a question.
  bool vital = false;

  friend bool operator==(const saved_event&, const saved_event&) = default;
};

} // namespace troupe::protocol

#pragma once

#include "protocol/exchange_id.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// An event as a store outside of this node keeps it: which stream of the session, its place there, and the message.
/// Place 0 says what the stream is for (`stream_role`; the last counts), or by an empty text that it is forgotten.
struct saved_event {
  exchange_id stream = 0;
  std::uint64_t place = 0;
  std::string text;
  /// An answer or a question.
  bool vital = false;

  friend bool operator==(const saved_event&, const saved_event&) = default;
};

/// What a stream is for: the server's own messages, or the answers to a POST.
struct stream_role {
  bool listens = false;
  /// The ids of the requests that it answers, JSON tokens.
  std::vector<std::string> answers = {};

  friend bool operator==(const stream_role&, const stream_role&) = default;
};

/// `{"listens":true}` or `{"answers":[7,"a"]}`.
std::string stream_role_text(const stream_role& of);

/// Reads what `stream_role_text` wrote; nothing when it is anything else.
std::optional<stream_role> read_stream_role(std::string_view text);

/// What a node wrote last may not have reached the store before the node was gone, though a client saw it. Whoever
/// goes on with a stream leaves out this many places, so that none means two events.
inline constexpr std::uint64_t unsaved_places = 1'000;

} // namespace troupe::protocol

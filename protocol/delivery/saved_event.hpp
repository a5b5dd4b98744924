#pragma once

#include "protocol/ids.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// An event as the store outside of this node keeps it: its stream, its position there, and the message.
/// At position 0 there is no message: the text is the role of the stream (see `stream_role`; the last one counts), or
/// empty when the stream was forgotten.
struct saved_event {
  exchange_id stream = 0;
  std::uint64_t position = 0;
  std::string text;
  /// An answer or a question.
  bool vital = false;

  friend bool operator==(const saved_event&, const saved_event&) = default;
};

/// What a stream carries: the server's own messages, or the answers to a POST.
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

/// Events that a client saw may not have reached the store before their node died. Who restores a stream skips this
/// many positions, so that no position stands for two events.
inline constexpr std::uint64_t unsaved_positions = 1'000;

} // namespace troupe::protocol

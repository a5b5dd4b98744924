#pragma once

#include "protocol/ids.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// An event in the store outside of this node: its stream, its position there, and the message. Position 0 has no
/// message: its text is the role of the stream (see `stream_role`; the last one counts), or empty if the stream was
/// forgotten.
struct saved_event {
  exchange_id stream = 0;
  std::uint64_t position = 0;
  std::string text;
  /// True for an answer or a question.
  bool vital = false;

  friend bool operator==(const saved_event&, const saved_event&) = default;
};

/// Role of a stream: for the server's own messages, or for the answers to a POST.
struct stream_role {
  bool listens = false;
  /// Ids of the requests that the stream answers, as JSON tokens.
  std::vector<std::string> answers = {};

  friend bool operator==(const stream_role&, const stream_role&) = default;
};

/// `{"listens":true}` or `{"answers":[7,"a"]}`.
std::string stream_role_text(const stream_role& of);

/// Reads the text of `stream_role_text`; empty for any other text.
std::optional<stream_role> read_stream_role(std::string_view text);

/// Positions that a restore of a stream skips. Events that a client received may not have reached the store before
/// their node died; so no position stands for two events.
inline constexpr std::uint64_t unsaved_positions = 1'000;

} // namespace troupe::protocol

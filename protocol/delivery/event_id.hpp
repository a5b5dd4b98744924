#pragma once

#include "protocol/delivery/effects.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Where an event stands: which stream of the session, and where on it. `Last-Event-ID` names the stream to resume
/// (2025-11-25, transports, "Resumability and Redelivery").
struct event_id {
  exchange_id stream = 0;
  std::uint64_t position = 0;

  friend bool operator==(const event_id&, const event_id&) = default;
};

/// What the event ids of one session begin with, so that those of another session are recognised. Too short to lead
/// back to the session id.
std::string event_tag(std::string_view session_id);

/// `<tag>-<stream>-<position>`.
std::string event_id_text(std::string_view tag, event_id id);

/// Reads an id of the same session; nothing when it is malformed or another session's.
std::optional<event_id> read_event_id(std::string_view tag, std::string_view text);

} // namespace troupe::protocol

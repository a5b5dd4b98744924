#pragma once

#include "actors/messages.hpp"

#include <optional>
#include <string>
#include <variant>

namespace troupe::actors {

/// What two processes say to each other about requests: the same as nodes do.
using relay_word = std::variant<relay_request, relay_taken, relay_closed, relay_answer>;

/// A word as bytes, and back; nothing when they are none.
std::string frame_of(caf::actor_system& system, relay_word& what);
std::optional<relay_word> read_frame(caf::actor_system& system, const std::string& text);

} // namespace troupe::actors

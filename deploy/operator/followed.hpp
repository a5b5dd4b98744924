#pragma once

#include "protocol/text/sse.hpp"

#include <string>

namespace troupe::deploy {

/// Formats an event of a followed session as a line for people; empty for events without a message.
std::string followed_line(const protocol::event& event);

} // namespace troupe::deploy

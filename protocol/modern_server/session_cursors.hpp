#pragma once

#include "protocol/message/message.hpp"

#include <string>
#include <string_view>

namespace troupe::protocol {

// Cursors of a server of 2026-07-28, as clients of the session era get them. There an empty one is a cursor, but for
// these clients it ends the list, so that it gets a mark in front. One that begins with the mark gets a second: a
// cursor with the mark is always one of these, and comes back to the server as the server gave it.

/// The result of a request for a list, an object, for a client of the session era.
std::string with_session_cursor(std::string_view result);

/// What a client of the session era has sent, for the server: a request for a list with the server's own cursor, or
/// anything else unchanged.
message with_server_cursor(message from);

} // namespace troupe::protocol

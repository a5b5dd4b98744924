#pragma once

#include "protocol/message/message.hpp"

#include <optional>

namespace troupe::protocol {

// The roots of a client are folders that it tells a server of (2025-11-25, client/roots). Some servers open whatever
// folder a client names, so that roots of a client elsewhere would reach beyond what the server is configured with.

/// Which clients' roots a server learns.
struct roots_rule {
  bool of_this_machine = true;
  bool of_others = false;

  bool pass(bool is_of_this_machine) const { return is_of_this_machine ? of_this_machine : of_others; }
};

/// A client's message for a server, without the declaration of roots and without roots in the answers to a server's
/// questions (2026-07-28, `inputResponses`). Nothing for a notification about roots. Members in other letters count,
/// too: some servers read those.
std::optional<message> without_roots(message to_server);

/// The answer to a server that asks for roots; nothing for any other message.
std::optional<message> refuse_roots_request(const message& from_server);

/// A server's answer that asks for roots although the client has declared none becomes an error; all others stay.
message without_roots_question(message from_server);

} // namespace troupe::protocol

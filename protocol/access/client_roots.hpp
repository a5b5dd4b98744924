#pragma once

#include "protocol/message/message.hpp"

#include <optional>

namespace troupe::protocol {

// A client's roots are folders that it names to a server (2025-11-25, client/roots). Some servers open any folder that
// a client names. Roots of a client elsewhere would then give access outside of the configured folders.

/// Rule for the clients whose roots are passed to a server.
struct roots_rule {
  bool of_this_machine = true;
  bool of_others = false;

  bool pass(bool is_of_this_machine) const { return is_of_this_machine ? of_this_machine : of_others; }
};

/// Removes the declaration of roots from a client's message, and the roots from its answers to a server's questions
/// (2026-07-28, `inputResponses`). Returns nothing for a notification about roots. Member names in other letter case
/// count, too: some servers accept them.
std::optional<message> without_roots(message to_server);

/// Returns the answer to a server's request for roots; nothing for any other message.
std::optional<message> refuse_roots_request(const message& from_server);

/// Replaces a server's response by an error if it asks for roots that the client has not declared; others stay.
message without_roots_question(message from_server);

} // namespace troupe::protocol

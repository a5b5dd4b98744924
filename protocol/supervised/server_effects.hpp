#pragma once

#include "protocol/ids.hpp"
#include "protocol/log.hpp"
#include "protocol/message/message.hpp"
#include "protocol/modern_server/client_envelope.hpp"
#include "protocol/supervised/server_status.hpp"

#include <string>
#include <variant>
#include <vector>

namespace troupe::protocol {

// Decisions of a supervised server, carried out by its actor in order. A wire is the pipes of a child process or the
// connection to a remote server.

/// Create a new wire to the server: a child process, or a connection to a remote server.
struct start_server {
  friend bool operator==(const start_server&, const start_server&) = default;
};

/// Drop the wire. Later messages from it, and its end, are ignored.
struct stop_server {
  friend bool operator==(const stop_server&, const stop_server&) = default;
};

/// Write to the wire.
struct send_to_server {
  message what;
  /// Envelope of the request's user, when the server has several users and receives each one's envelope.
  envelope_of_user envelope = {};
  friend bool operator==(const send_to_server&, const send_to_server&) = default;
};

struct send_to_user {
  user_id user = 0;
  message what;
  friend bool operator==(const send_to_user&, const send_to_user&) = default;
};

/// End the session of this user, which is removed: the server does not come back for it.
struct end_user {
  user_id user = 0;
  std::string why;
  friend bool operator==(const end_user&, const end_user&) = default;
};

/// Report a status change in the log and in `/debug/state`.
struct show_status {
  server_status status;
  friend bool operator==(const show_status&, const show_status&) = default;
};

/// Report whether the server turned out to be shared; see `supervision_rules::shares_modern`.
struct note_sharing {
  bool is_shared = false;
  friend bool operator==(const note_sharing&, const note_sharing&) = default;
};

using server_effect = std::variant<start_server, stop_server, send_to_server, send_to_user, end_user, show_status,
                                   note_sharing, log_note>;
using server_effects = std::vector<server_effect>;

} // namespace troupe::protocol

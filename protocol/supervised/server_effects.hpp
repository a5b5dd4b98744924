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

// What a supervised server decides. Its actor carries the effects out in the order in which they stand. A wire is the
// pipes of a child process or the connection to a remote server.

/// Make a new wire to the server: a child process, or a connection to a remote one.
struct start_server {
  friend bool operator==(const start_server&, const start_server&) = default;
};

/// Drop the wire. What arrives from it afterwards is ignored, even its end.
struct stop_server {
  friend bool operator==(const stop_server&, const stop_server&) = default;
};

/// Write to the wire.
struct tell_server {
  message what;
  /// Of the user whose request it is, when the server has several and hears of each.
  envelope_of_user envelope = {};
  friend bool operator==(const tell_server&, const tell_server&) = default;
};

struct tell_user {
  user_id user = 0;
  message what;
  friend bool operator==(const tell_user&, const tell_user&) = default;
};

/// The server is lost for good for this user, who is forgotten: its session ends.
struct end_user {
  user_id user = 0;
  std::string why;
  friend bool operator==(const end_user&, const end_user&) = default;
};

/// The status has changed: for the log and `/debug/state`.
struct show_status {
  server_status status;
  friend bool operator==(const show_status&, const show_status&) = default;
};

/// It was found out whether the server is for many users, as `supervision_rules::shares_modern` says.
struct note_sharing {
  bool is_shared = false;
  friend bool operator==(const note_sharing&, const note_sharing&) = default;
};

using server_effect =
    std::variant<start_server, stop_server, tell_server, tell_user, end_user, show_status, note_sharing, log_note>;
using server_effects = std::vector<server_effect>;

} // namespace troupe::protocol

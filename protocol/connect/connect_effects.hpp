#pragma once

#include "protocol/log.hpp"
#include "protocol/remote/remote_effects.hpp"

#include <string>
#include <variant>
#include <vector>

namespace troupe::protocol {

// Events of an HTTP request to a remote server.

/// The request got a connection and is sent now.
struct call_begun {};
struct call_head {
  int status = 0;
  http_fields fields = {};
};
struct call_body {
  std::string bytes;
};
/// The answer is complete.
struct call_ended {};
/// The request failed; `is_shortage` if no descriptor or memory was left to connect.
struct call_failed {
  std::string why;
  bool is_shortage = false;
};
/// The request was not sent for lack of a token.
struct call_withheld {
  std::string why;
};

struct call_event {
  http_call_id call = 0;
  std::variant<call_begun, call_head, call_body, call_ended, call_failed, call_withheld> what;
};

// Decisions of the bridge between a client on stdio and a remote server, carried out in order by the owner of the pipes
// and sockets. HTTP requests begin and end as `remote_effects.hpp` says.

/// Write a message to the client, as one line.
struct write_line {
  std::string text;
  friend bool operator==(const write_line&, const write_line&) = default;
};

/// End the bridge: no more output follows.
struct end_bridge {
  friend bool operator==(const end_bridge&, const end_bridge&) = default;
};

using connect_effect =
    std::variant<send_call, drop_call, release_call, send_last_request, log_note, write_line, end_bridge>;
using connect_effects = std::vector<connect_effect>;

} // namespace troupe::protocol

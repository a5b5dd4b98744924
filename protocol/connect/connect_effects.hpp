#pragma once

#include "protocol/log.hpp"
#include "protocol/remote/remote_effects.hpp"

#include <string>
#include <variant>
#include <vector>

namespace troupe::protocol {

// What becomes of an HTTP request to a remote server.

/// It has waited for a connection, and goes out now.
struct call_begun {};
struct call_head {
  int status = 0;
  http_fields fields = {};
};
struct call_body {
  std::string bytes;
};
/// Its answer is complete.
struct call_ended {};
/// `is_shortage` when we had no descriptor or memory left to connect.
struct call_failed {
  std::string why;
  bool is_shortage = false;
};
/// It was never sent, for want of a token.
struct call_withheld {
  std::string why;
};

struct call_news {
  http_call_id call = 0;
  std::variant<call_begun, call_head, call_body, call_ended, call_failed, call_withheld> what;
};

// What the bridge from a client on stdio to a remote server decides, and who has the pipes and the sockets carries out
// in this order. An HTTP request is begun and dropped as `remote_effects.hpp` says.

/// Write a message to the client, which ends with the line.
struct write_line {
  std::string text;
  friend bool operator==(const write_line&, const write_line&) = default;
};

/// All is said.
struct end_bridge {
  friend bool operator==(const end_bridge&, const end_bridge&) = default;
};

using connect_effect = std::variant<send_call, drop_call, release_call, say_farewell, log_note, write_line, end_bridge>;
using connect_effects = std::vector<connect_effect>;

} // namespace troupe::protocol

#pragma once

#include "protocol/log.hpp"
#include "protocol/remote/remote_effects.hpp"

#include <string>
#include <variant>
#include <vector>

namespace troupe::protocol {

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

#pragma once

#include "protocol/ids.hpp"
#include "protocol/message/message.hpp"

#include <string>
#include <variant>
#include <vector>

namespace troupe::protocol {

// What becomes of requests of 2026-07-28. Each is known by the exchange that brought it, for each has one of its own.

/// Send a notification on the answer of a request, ahead of its response.
struct precede_answer {
  exchange_id exchange = 0;
  std::string text;
  friend bool operator==(const precede_answer&, const precede_answer&) = default;
};

/// The response to a request, with the client's own id. `error` is the JSON-RPC code when it is an error, otherwise 0;
/// `how` is another than a success when the tool has failed or the server was lost, which the code does not tell.
/// `is_shortage` as a message has it: the client may come again soon.
struct give_answer {
  exchange_id exchange = 0;
  std::string text;
  int error = 0;
  call_outcome::kind how = call_outcome::kind::success;
  bool is_shortage = false;
  friend bool operator==(const give_answer&, const give_answer&) = default;
};

/// Write to the server, in its own era.
struct ask_server {
  message what;
  friend bool operator==(const ask_server&, const ask_server&) = default;
};

using stateless_effect = std::variant<precede_answer, give_answer, ask_server>;
using stateless_effects = std::vector<stateless_effect>;

} // namespace troupe::protocol

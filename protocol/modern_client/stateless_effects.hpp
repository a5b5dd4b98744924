#pragma once

#include "protocol/ids.hpp"
#include "protocol/message/message.hpp"

#include <string>
#include <variant>
#include <vector>

namespace troupe::protocol {

// Effects for stateless (2026-07-28) requests. Each request is identified by the exchange that brought it.

/// Send a notification on the answer of a request, ahead of its response.
struct send_notification {
  exchange_id exchange = 0;
  std::string text;
  friend bool operator==(const send_notification&, const send_notification&) = default;
};

/// Send the response to a request, under the client's own id. `error` is its JSON-RPC code, or 0 for a result. `how`
/// shows a failed tool or server, which the code does not. `is_shortage`: see `message`; the client may try again soon.
struct send_response {
  exchange_id exchange = 0;
  std::string text;
  int error = 0;
  call_outcome::kind how = call_outcome::kind::success;
  bool is_shortage = false;
  friend bool operator==(const send_response&, const send_response&) = default;
};

/// Send a message to the server, in the words of its era.
struct forward_to_server {
  message what;
  friend bool operator==(const forward_to_server&, const forward_to_server&) = default;
};

using stateless_effect = std::variant<send_notification, send_response, forward_to_server>;
using stateless_effects = std::vector<stateless_effect>;

} // namespace troupe::protocol

#pragma once

#include "protocol/message/message.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// The number of a call of a hosted server's handler; not used twice in a session.
using hosted_call_id = std::uint64_t;

/// The call of a handler.
struct hosted_call {
  enum class kind { tool, prompt, resource, completion };
  kind is = kind::tool;
  /// The number of the tool, prompt, resource or template; 0 for a completion.
  std::uint64_t item = 0;
  /// The request's id and its progress token, JSON tokens; no token when the client wants no progress.
  std::string id = {};
  std::string token = {};
  /// The name of the tool or prompt, the URI of the resource.
  std::string name = {};
  /// Of a tool or prompt; the variables of a resource's template; a completion's whole params.
  boost::json::object arguments = {};
  /// The MIME type of a resource, the description of a prompt.
  std::string about = {};

  friend bool operator==(const hosted_call&, const hosted_call&) = default;
};

// What a hosted server decides. Its actor carries the effects out in the order in which they stand.

/// Send to the client.
struct send_client {
  message what;
  friend bool operator==(const send_client&, const send_client&) = default;
};

/// Call a handler.
struct start_call {
  hosted_call_id call = 0;
  hosted_call what;
  friend bool operator==(const start_call&, const start_call&) = default;
};

/// Tell a handler that the client cancelled its call.
struct cancel_call {
  hosted_call_id call = 0;
  friend bool operator==(const cancel_call&, const cancel_call&) = default;
};

/// Pass the client's response to the handler that asked; its id is the one that the handler gave.
struct pass_reply {
  hosted_call_id call = 0;
  message what;
  friend bool operator==(const pass_reply&, const pass_reply&) = default;
};

using hosted_effect = std::variant<send_client, start_call, cancel_call, pass_reply>;
using hosted_effects = std::vector<hosted_effect>;

} // namespace troupe::protocol

#pragma once

#include "protocol/message/message.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// A call of a hosted server's handler, numbered by the machine; never used again.
using hosted_call_id = std::uint64_t;

/// What a handler is called for.
struct hosted_call {
  enum class kind { tool, prompt, resource, completion };
  kind is = kind::tool;
  /// The number of the item that it is for; 0 for a completion.
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

// What a hosted server decides, and its actor carries out in this order.

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

/// The client no longer waits for the call.
struct cancel_call {
  hosted_call_id call = 0;
  friend bool operator==(const cancel_call&, const cancel_call&) = default;
};

/// Pass the client's response to the call that asked; its id is the call's own.
struct pass_reply {
  hosted_call_id call = 0;
  message what;
  friend bool operator==(const pass_reply&, const pass_reply&) = default;
};

using hosted_effect = std::variant<send_client, start_call, cancel_call, pass_reply>;
using hosted_effects = std::vector<hosted_effect>;

} // namespace troupe::protocol

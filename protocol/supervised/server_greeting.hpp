#pragma once

#include "protocol/message/message.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace troupe::protocol {

/// What a server answered to `initialize`, and may be answered again to further clients.
struct server_greeting {
  /// The answer's `result`, as it stood there.
  std::string result;
  std::string version;
  bool tools = false;
  bool prompts = false;
  bool resources = false;

  /// A server that is shared takes its users for one: each would see the tasks of the others.
  void leave_out_tasks();
  /// The answer to another `initialize`. Its version is the one that is asked for, when that is known and older: what a
  /// newer server says stays readable for an older client.
  std::string answer_to(const message& initialize) const;
};

/// Why a server is of no use after its answer to `initialize`.
struct greeting_refused {
  std::string why;
};

std::variant<server_greeting, greeting_refused> read_greeting(const message& answer);

/// The `initialize` of the gateway itself, which serves several clients at once. It declares what can be put to the one
/// among them who caused it. It has no roots: theirs differ.
std::string initialize_text(std::string_view id, std::string_view gateway_version);

} // namespace troupe::protocol

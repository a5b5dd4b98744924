#pragma once

#include "protocol/message/lists.hpp"

#include <string>
#include <string_view>

namespace troupe::protocol {

/// What a server declared at `initialize`, as far as it matters to clients of several servers at once.
///
/// `tasks` and `experimental` are left out: the ids of several servers' tasks would be mixed up, and nobody knows what
/// an experiment's messages refer to.
struct server_capabilities {
  bool tools = false;
  bool prompts = false;
  bool resources = false;
  bool subscribe = false;
  bool logging = false;
  bool completions = false;

  bool has(list_group group) const;
  friend bool operator==(const server_capabilities&, const server_capabilities&) = default;
};

/// The capabilities that are assumed of a server that is not known yet.
inline constexpr server_capabilities every_capability{true, true, true, true, true, true};

/// Reads them from the result of `initialize`.
server_capabilities read_server_capabilities(std::string_view result);

/// The union of both.
server_capabilities merged(const server_capabilities& a, const server_capabilities& b);

/// The JSON object that declares them. Lists are always said to change: servers come and go.
std::string capabilities_text(const server_capabilities& what);

} // namespace troupe::protocol

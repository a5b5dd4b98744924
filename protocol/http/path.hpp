#pragma once

#include <string>
#include <string_view>

namespace troupe::protocol {

/// What a path leads to.
enum class place { nowhere, endpoint, sse, messages, health, readiness, state };

/// Where a request goes: to a place, and there to a server, or to all of them at once.
struct path {
  place to = place::nowhere;
  /// The name of the one server; empty for `/mcp`, `/sse` and `/messages`, which stand for all.
  std::string server = {};

  friend bool operator==(const path&, const path&) = default;
};

/// Reads a request's target: `/mcp`, `/servers/<name>/mcp`, `/healthz` and so on, with a query or without.
path read_path(std::string_view target);

/// Where the clients of a server's HTTP+SSE post, relative to its host.
std::string messages_path(std::string_view server, std::string_view session);

} // namespace troupe::protocol

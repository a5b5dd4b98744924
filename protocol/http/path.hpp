#pragma once

#include <string>
#include <string_view>

namespace troupe::protocol {

/// The endpoints of the gateway: `mcp` is Streamable HTTP, `sse` and `messages` are HTTP+SSE.
enum class endpoint { none, mcp, sse, messages, health, readiness, state };

/// The endpoint that a request goes to, of one server or of all servers merged.
struct path {
  endpoint to = endpoint::none;
  /// The name of the server; empty for `/mcp`, `/sse` and `/messages`, where all are merged.
  std::string server = {};

  friend bool operator==(const path&, const path&) = default;
};

/// Reads a request's target: `/mcp`, `/servers/<name>/mcp`, `/healthz` and so on, with a query or without.
path read_path(std::string_view target);

/// The path and query that clients of HTTP+SSE POST to, as the `endpoint` event tells it.
std::string messages_path(std::string_view server, std::string_view session);

} // namespace troupe::protocol

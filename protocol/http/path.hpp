#pragma once

#include <optional>
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
  /// The path of its endpoint as a client knows it, where that is none of the gateway's own, see `known_paths`.
  std::string shown = {};

  friend bool operator==(const path&, const path&) = default;
};

/// A request's target in the form that clients send to servers, `/mcp`, or in the one that they send to proxies and
/// servers take too: `http://localhost:8080/mcp` (RFC 9112, 3.2.1 and 3.2.2).
struct request_target {
  /// Host and port in the target; none in the first form.
  std::optional<std::string_view> authority = {};
  std::string_view path_and_query = {};
};

/// The parts of a target; they are valid as long as that is.
request_target split_target(std::string_view target);

/// What stands before a query, without a slash at its end.
std::string_view path_without_query(std::string_view path_and_query);

/// Reads the path of a request's target: `/mcp`, `/servers/<name>/mcp`, `/healthz` and so on, with a query or without.
path read_path(std::string_view path_and_query);

/// The path of an endpoint of MCP, without a query, as a client knows it: that of `messages` is of the endpoint that it
/// belongs to.
std::string endpoint_path(const path& of);

/// The path and query that clients of HTTP+SSE POST to, as the `endpoint` event tells it.
std::string messages_path(std::string_view server, std::string_view session);

/// Where a gateway has the metadata of its issuer (RFC 8414, 3.1).
inline constexpr std::string_view issuer_path = "/.well-known/oauth-authorization-server";

/// Where the document of an endpoint is: `/.well-known/oauth-protected-resource/mcp` for `/mcp` (RFC 9728, 3.1).
std::string metadata_path(std::string_view endpoint_path);
/// The endpoint's path that a path asks for the document of: `/mcp` for that of the root too. Empty when it is none.
std::string endpoint_of_metadata(std::string_view path);

} // namespace troupe::protocol

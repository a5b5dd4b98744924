#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Endpoints of the gateway: `mcp` is Streamable HTTP, `sse` and `messages` are HTTP+SSE.
enum class endpoint { none, mcp, sse, messages, health, readiness, state };

/// Endpoint that a request goes to, of one server or of all servers merged.
struct path {
  endpoint to = endpoint::none;
  /// Name of the server; empty for `/mcp`, `/sse` and `/messages`, which merge all servers.
  std::string server = {};
  /// Path of the endpoint as a client knows it, if that is a further one, see `known_paths`; otherwise empty.
  std::string shown = {};

  friend bool operator==(const path&, const path&) = default;
};

/// Target of a request in parts. Clients send `/mcp` to servers; the form that they send to proxies,
/// `http://localhost:8080/mcp`, is accepted by servers too (RFC 9112, 3.2.1 and 3.2.2).
struct request_target {
  /// Host and port in the target; nullopt in the first form.
  std::optional<std::string_view> authority = {};
  std::string_view path_and_query = {};
};

/// Splits a target; the parts are valid as long as the target.
request_target split_target(std::string_view target);

/// Returns the path before the query, without a slash at its end.
std::string_view path_without_query(std::string_view path_and_query);

/// Parses the path of a request's target: `/mcp`, `/servers/<name>/mcp`, `/healthz` and so on, with a query or without.
path read_path(std::string_view path_and_query);

/// Returns the path of an MCP endpoint as a client knows it, without a query. For `messages`, the path of the endpoint
/// that it belongs to.
std::string endpoint_path(const path& of);

/// Returns the path and query to which HTTP+SSE clients POST, as in the `endpoint` event.
std::string messages_path(std::string_view server, std::string_view session);

/// Path of the metadata of a gateway's issuer (RFC 8414, 3.1).
inline constexpr std::string_view issuer_path = "/.well-known/oauth-authorization-server";

/// Returns the path of an endpoint's document: `/.well-known/oauth-protected-resource/mcp` for `/mcp` (RFC 9728, 3.1).
std::string metadata_path(std::string_view endpoint_path);
/// Returns the path of the endpoint whose document is at `path`: `/mcp` also for the root's. Empty for other paths.
std::string endpoint_of_metadata(std::string_view path);

/// Paths of a gateway: its own, and further configured ones for all servers merged.
class known_paths {
public:
  /// Adds a further path of an endpoint; HTTP+SSE clients receive the first one of `messages`.
  void add(endpoint to, std::string path) { more_.emplace_back(to, std::move(path)); }

  /// Sets the prefix of all paths as clients see them, such as `/troupe`. A proxy may or may not remove it.
  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }

  path read(std::string_view path_and_query) const;
  /// Removes the prefix from a path, unless the whole is a path of the gateway.
  std::string_view without_prefix(std::string_view path_and_query) const;
  /// Returns the path and query to which HTTP+SSE clients POST.
  std::string messages(std::string_view server, std::string_view session) const;

private:
  path find(std::string_view path_and_query) const;
  std::string first(endpoint to) const;

  std::string prefix_;
  std::vector<std::pair<endpoint, std::string>> more_;
};

/// Describes why a path cannot be added, in words that follow the path; empty if it can. A path begins with `/`, does
/// not end with it, has no query, no empty parts and none that begins with a dot, up to 256 bytes, and is none of the
/// gateway's own.
std::string fault_of_path(std::string_view path);

/// Describes why a path cannot be the prefix, in words that follow the path; empty if it can. A prefix has the form of
/// a further path, and only characters that need no escape in a URL.
std::string fault_of_prefix(std::string_view path);
/// Returns the path after a prefix, with its slash; empty if the path does not begin with the prefix.
std::string_view behind_prefix(std::string_view prefix, std::string_view path_and_query);

} // namespace troupe::protocol

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// The paths at which a gateway answers: its own, and further ones for all servers merged, which it was told of.
class known_paths {
public:
  /// A further path of an endpoint; the first one of `messages` is told to clients of HTTP+SSE.
  void add(endpoint to, std::string path) { more_.emplace_back(to, std::move(path)); }

  /// Clients find all paths behind this one, such as `/troupe`, which a proxy takes away, or may not.
  void stand_behind(std::string prefix) { prefix_ = std::move(prefix); }

  path read(std::string_view path_and_query) const;
  /// A path without that prefix, unless it is one of ours with it.
  std::string_view without_prefix(std::string_view path_and_query) const;
  /// The path and query that clients of HTTP+SSE POST to.
  std::string messages(std::string_view server, std::string_view session) const;

private:
  path find(std::string_view path_and_query) const;
  std::string first(endpoint to) const;

  std::string prefix_;
  std::vector<std::pair<endpoint, std::string>> more_;
};

/// Why a path cannot be one of these, to be read after it; empty when it can. A path begins with `/`, does not end with
/// it, has no query, no empty parts and none that begins with a dot, at most 256 bytes, and is none of the gateway's
/// own.
std::string fault_of_path(std::string_view path);

/// Why clients cannot find the gateway behind a path, to be read after it; empty when they can. It has the form of a
/// further path, and only characters that need no escape in a URL.
std::string fault_of_prefix(std::string_view path);
/// What stands behind a prefix, with its slash; nothing when the path is none behind it.
std::string_view behind_prefix(std::string_view prefix, std::string_view path_and_query);

} // namespace troupe::protocol

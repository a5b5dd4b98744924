#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// How a request came to this node of a cluster.
enum class came_by {
  /// Its client is connected here.
  client,
  /// Another node passes it on, and it goes no further.
  node,
  /// A node that is about to go passes it on: it goes on once more when a third node has taken the session.
  leaving_node,
  /// Its client is connected here, and by its key it belongs to this node.
  placed
};

/// JSON-RPC error codes that the gateway itself gives (JSON-RPC 2.0, section 5.1, and MCP).
namespace error_code {
inline constexpr int parse_error = -32700;
inline constexpr int invalid_request = -32600;
inline constexpr int method_not_found = -32601;
inline constexpr int invalid_params = -32602;
inline constexpr int internal_error = -32603;
/// A resource that no server has (2025-11-25, resources, "Error Handling").
inline constexpr int resource_not_found = -32002;
/// A version of the protocol with sessions that is not served; clients look for the text `Unsupported protocol
/// version`.
inline constexpr int unsupported_version = -32000;
/// A header field that does not say what the body says, or is missing (2026-07-28, transports, "Standard Headers").
inline constexpr int header_mismatch = -32020;
/// The client does not declare a capability that is needed (2026-07-28, basic).
inline constexpr int missing_capability = -32021;
/// A revision without sessions that is not served (2026-07-28, basic, "Versioning").
inline constexpr int unsupported_stateless_version = -32022;
/// Ends a call that its client cancelled while it waited for a JSON answer.
inline constexpr int request_cancelled = -32800;
} // namespace error_code

/// Why a client's request is refused: an HTTP status and a JSON-RPC error. A value, not an exception.
struct rejection {
  int status = 400;
  int code = error_code::invalid_request;
  std::string text;
  /// The id of the refused request as a JSON token; empty when it is unknown.
  std::string id = {};
  /// Further header fields of the answer, such as `Allow`.
  std::vector<std::pair<std::string, std::string>> headers = {};
  /// A JSON text that is the answer instead of a JSON-RPC error; empty when this is.
  std::string body = {};

  friend bool operator==(const rejection&, const rejection&) = default;
};

/// A request that is not good, or not for this client.
rejection refusal(int status, std::string text);
/// 405 with `Allow`.
rejection method_not_allowed(std::string_view methods);
rejection session_not_found();
/// The `requestState` of 2026-07-28 that a request gives back is not ours, not its caller's, used, or too old: one
/// answer for all of these.
rejection state_refused(std::string id);
/// 503 with `Retry-After`: the client may try again. `id` is that of the request, as a JSON token.
rejection unavailable(std::string why, std::string id = {}, std::chrono::seconds retry = std::chrono::seconds{1});
/// 429 (RFC 6585, 4) with `Retry-After`: whoever asks has asked for too much.
rejection too_many_requests(std::string why, std::chrono::seconds retry, std::string id = {});
/// 503: the session moves to another node, and the client is to send the request again.
rejection session_moves();
/// 404: no server has the name in the path.
rejection server_not_found();

// Why a gateway refuses a request for now: whoever asks again may be served, by this node of a cluster or another.

/// `request` is the id of the refused request as a JSON token.
inline rejection gateway_stops(std::string request = {}) {
  return unavailable("the gateway is stopping", std::move(request));
}
/// The gateway lacks descriptors, memory or processes; what prevents a start may have passed soon.
inline rejection shortage(std::string why, std::string request) {
  constexpr std::chrono::seconds pause{5};
  return unavailable(std::move(why), std::move(request), pause);
}
inline rejection nodes_not_known() { return unavailable("the nodes of the cluster are still looking for each other"); }
inline rejection nodes_lost() { return unavailable("the nodes of the cluster have lost each other"); }
/// Neither the nodes that are there nor the store can tell whose session it is. Nodes know this refusal by its text.
inline rejection owner_unknown() { return unavailable("nobody can tell yet who owns the session"); }

/// The answer to a request for a session that is not restored here. A node that passed the request on takes any refusal
/// but `owner_unknown` and 404 for the word of the session's owner, and would send all later requests here.
inline rejection refused_restore(const rejection& why, came_by came) {
  return came != came_by::client && why.status == 503 ? owner_unknown() : why;
}

/// Sessions of nodes that are gone begin again one after the other.
inline rejection too_many_restores(std::chrono::seconds pause) {
  return unavailable("too many sessions are being restored", {}, pause);
}

} // namespace troupe::protocol

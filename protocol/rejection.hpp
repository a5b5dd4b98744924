#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Route by which a request reached this node of a cluster.
enum class request_source {
  /// From a client that is connected to this node.
  client,
  /// Forwarded by another node; not forwarded again.
  node,
  /// Forwarded by a node that is leaving; forwarded once more if a third node has taken the session.
  leaving_node,
  /// From this node's router: a request of a client of this node, whose lease key belongs to this node.
  router
};

/// JSON-RPC error codes that the gateway itself sends (JSON-RPC 2.0, section 5.1, and MCP).
namespace error_code {
inline constexpr int parse_error = -32700;
inline constexpr int invalid_request = -32600;
inline constexpr int method_not_found = -32601;
inline constexpr int invalid_params = -32602;
inline constexpr int internal_error = -32603;
/// Unknown resource: no server has it (2025-11-25, resources, "Error Handling").
inline constexpr int resource_not_found = -32002;
/// Unsupported protocol version, in the era of sessions. Clients search for the text `Unsupported protocol version`.
inline constexpr int unsupported_version = -32000;
/// Header field that contradicts the body, or is missing (2026-07-28, transports, "Standard Headers").
inline constexpr int header_mismatch = -32020;
/// Required capability that the client does not declare (2026-07-28, basic).
inline constexpr int missing_capability = -32021;
/// Unsupported revision without sessions (2026-07-28, basic, "Versioning").
inline constexpr int unsupported_stateless_version = -32022;
/// Error for a call that its client cancelled while waiting for a JSON answer.
inline constexpr int request_cancelled = -32800;
} // namespace error_code

/// Temporary refusals that the nodes of a cluster tell apart: another node may serve the request.
enum class refusal_kind { other, owner_unknown, gateway_stops };

/// Refusal of a client's request: an HTTP status and a JSON-RPC error. A value, not an exception.
struct rejection {
  int status = 400;
  int code = error_code::invalid_request;
  std::string text;
  /// The id of the refused request as a JSON token; empty when it is unknown.
  std::string id = {};
  /// Further header fields of the answer, such as `Allow`.
  std::vector<std::pair<std::string, std::string>> headers = {};
  /// JSON text that replaces the JSON-RPC error as the answer; empty for the JSON-RPC error.
  std::string body = {};
  refusal_kind is = refusal_kind::other;

  friend bool operator==(const rejection&, const rejection&) = default;
};

/// Refuses an invalid request, or one that this client may not send.
rejection refusal(int status, std::string text);
/// 405 with `Allow`.
rejection method_not_allowed(std::string_view methods);
rejection session_not_found();
/// Refuses a `requestState` (2026-07-28) that is not ours, belongs to another caller, was used before, or is too old:
/// one answer for all of these.
rejection state_refused(std::string id);
/// 503 with `Retry-After`: the client may try again. `id`: id of the request, as a JSON token.
rejection unavailable(std::string why, std::string id = {}, std::chrono::seconds retry = std::chrono::seconds{1});
/// 429 (RFC 6585, 4) with `Retry-After`: the caller has exceeded a limit.
rejection too_many_requests(std::string why, std::chrono::seconds retry, std::string id = {});
/// 503: the session is moving to another node, and the client should send the request again.
rejection session_moves();
/// 503: the session has ended, but it is restored if its node exits before the store has forgotten the session.
rejection end_unconfirmed(std::string request = {});
/// 307: another process accepts clients now. `located` adds the place, which is the same.
rejection another_process_serves();
/// 404: no server has the name in the path.
rejection server_not_found();

// Temporary refusals: a retry may be served, by this node of a cluster or another.

/// `request`: id of the refused request, as a JSON token.
rejection gateway_stops(std::string request = {});
/// The gateway lacks descriptors, memory or processes; the cause may soon pass.
inline rejection shortage(std::string why, std::string request) {
  constexpr std::chrono::seconds pause{5};
  return unavailable(std::move(why), std::move(request), pause);
}
inline rejection nodes_not_known() { return unavailable("the nodes of the cluster are still looking for each other"); }
/// 503: the node of the session is no member now, and may return.
rejection node_unreachable();
/// Neither the reachable nodes nor the store know the session's owner.
rejection owner_unknown();

/// Refuses a request whose session is not restored here. A node that forwarded the request takes any refusal except
/// `owner_unknown` and 404 for an answer of the session's owner, and would send all later requests here.
inline rejection refused_restore(const rejection& why, request_source came) {
  return came != request_source::client && why.status == 503 ? owner_unknown() : why;
}

/// Sessions of exited nodes are restored one after the other, at a limited rate.
inline rejection too_many_restores(std::chrono::seconds pause) {
  return unavailable("too many sessions are being restored", {}, pause);
}

// A node sends the kind of a refusal to another node as a header field, `Troupe-Refusal`. A release without kinds
// passes the field on to its client, and is understood by the text.

using header_fields = std::vector<std::pair<std::string, std::string>>;

/// Header fields of a refusal for another node: its own, and its kind.
header_fields fields_for_node(const rejection& why);
/// Takes the kind out of the header fields of a refusal that another node has sent.
void read_kind(rejection& from_node);

} // namespace troupe::protocol

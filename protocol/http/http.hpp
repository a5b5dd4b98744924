#pragma once

#include "protocol/http/known_paths.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/request_envelope.hpp"
#include "protocol/rejection.hpp"
#include "protocol/text/ip_address.hpp"
#include "protocol/time.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Header field of a request. The views are valid while the exchange holds the request.
struct http_field {
  std::string_view name;
  std::string_view value;
};

/// HTTP request. The views are valid while the exchange holds it.
struct http_request {
  std::string_view method;
  std::string_view target;
  std::vector<http_field> fields;
  std::string body;
  /// Whether the request came from this machine.
  bool is_local = false;
  /// Address of the peer; empty if unknown.
  std::string_view peer = {};
  /// Whether the request came over TLS.
  bool is_secure = false;
  /// Name in the client's certificate, signed by a configured authority; empty without a certificate.
  std::string_view certificate = {};
  /// End of the certificate's validity; nullopt without a certificate.
  std::optional<calendar_time> certificate_until = {};

  /// Returns the first value of a field, without white space around it; empty if there is none. Names in any case.
  std::string_view field(std::string_view name) const;
};

/// Returns a text that distinguishes programs that send requests: their address and the first 64 bytes of their
/// `User-Agent`.
std::string sender_of(const http_request& request);

/// HTTP answer. `Content-Length`, `Date` and `Connection` are added when it is written.
struct http_response {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;
  /// `Content-Type`, a static text; empty if there is none.
  std::string_view type = {};
  /// More fields as they are sent, with CRLF between them; a static text.
  std::string_view constant_fields = {};
};

/// Rules by which requests are allowed.
struct access_rules {
  known_paths paths = {};
  /// Whether to refuse a `Host` that is not this machine: against DNS rebinding, while bound to loopback.
  bool loopback_only = true;
  /// Address that the gateway listens on; always allowed as `Host`.
  std::string host = {};
  /// Further values that are allowed in `Host`: names or addresses, with any port or with that one; `*` allows all. If
  /// empty, any is allowed, unless bound to loopback.
  std::vector<std::string> allowed_hosts = {};
  /// Proxies whose fields about the original request are trusted.
  ip_networks trusted_proxies = {};
  /// Allowed origins besides this machine; `*` allows all.
  std::vector<std::string> allow_origins = {};
  /// Whether to answer `/debug/state`, to this machine only and not through a proxy.
  bool shows_state = false;
  /// Whether to answer with the documents about endpoints (RFC 9728), which name an issuer of tokens.
  bool has_metadata = false;
};

// `server` in each of the following: name of the server in the path; empty for the path of all servers merged.

/// A POST to the MCP endpoint. Only `initialize` may have an empty `session`.
struct post_request {
  std::string server;
  std::string session;
  post_body body;
};
/// A GET of the MCP endpoint: for the server's own messages, or to resume a stream; `last`: its `Last-Event-ID`.
struct stream_request {
  std::string server;
  std::string session;
  std::string last;
};
/// A GET that begins an HTTP+SSE session (2024-11-05).
struct sse_request {
  std::string server;
};
/// A POST to an HTTP+SSE session.
struct sse_post_request {
  std::string server;
  std::string session;
  post_body body;
};
/// A DELETE of the session.
struct delete_request {
  std::string server;
  std::string session;
};
/// A POST of a stateless (2026-07-28) request. It passed the rules that need only the request itself.
struct stateless_post {
  std::string server;
  message request;
  request_envelope envelope;
};
/// A POST of a stateless (2026-07-28) notification. Clients have none in that revision: accepted and dropped.
struct dropped_notification {};
using parsed_request = std::variant<rejection, post_request, stream_request, delete_request, sse_request,
                                    sse_post_request, stateless_post, dropped_notification>;

struct mcp_request;

/// Parses a request, or refuses it. The rules of 2024-11-05 to 2025-11-25 are checked in this order: method, media
/// types, form of the headers, JSON, version, form of `initialize`, session id. For those of 2026-07-28 see
/// `read_stateless`. Moves the body out of the request.
parsed_request parse_request(http_request& request, mcp_request&& at);

/// Returns the CORS fields that a browser needs to read an answer; empty unless the request has an allowed `Origin`.
std::vector<std::pair<std::string, std::string>> cross_origin_fields(const http_request& request,
                                                                     const access_rules& access);

// -- answers ---------------------------------------------------------------------------

/// Adds `Location` to a redirection: the target of the refused request. The reference is relative, as a proxy may have
/// removed a prefix.
rejection located(rejection refused, std::string_view path_and_query);
http_response rejection_response(const rejection& refused);
/// Makes a JSON-RPC answer; with a session id if it answers a successful `initialize`.
http_response json_response(std::string text, std::string_view session);
/// 202: notifications or responses were accepted.
http_response accepted_response();
/// 200: a DELETE ended the session.
http_response ended_response();
http_response health_response(bool healthy);
/// 200: the gateway is ready, see `not_ready`.
http_response ready_response();
http_response preflight_response(const http_request& request);
/// Returns the head of an event stream.
http_response stream_head();

} // namespace troupe::protocol

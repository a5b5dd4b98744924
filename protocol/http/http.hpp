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

/// A header field of a request. The views are valid as long as the exchange holds the request.
struct http_field {
  std::string_view name;
  std::string_view value;
};

/// An HTTP request. The views are valid as long as the exchange holds it.
struct http_request {
  std::string_view method;
  std::string_view target;
  std::vector<http_field> fields;
  std::string body;
  /// Whether it came from this machine.
  bool is_local = false;
  /// The address that it came from; empty when that is not known.
  std::string_view peer = {};
  /// Whether it came in TLS.
  bool is_secure = false;
  /// Whom the client's certificate names, which an authority of ours vouches for; empty without one.
  std::string_view certificate = {};
  /// When that ends to be good; nothing without one.
  std::optional<calendar_time> certificate_until = {};

  /// The first value under a name, without the white space around it; empty when there is none. Any case of letters.
  std::string_view field(std::string_view name) const;
};

/// What tells programs that send requests from each other: the address, and the first 64 bytes of what they call
/// themselves (`User-Agent`).
std::string sender_of(const http_request& request);

/// An HTTP answer. `Content-Length`, `Date` and `Connection` are added where it is written.
struct http_response {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;
  /// The `Content-Type`, a text that stays; empty when there is none.
  std::string_view type = {};
  /// More fields as they are sent, with CRLF between them: a text that stays.
  std::string_view constant_fields = {};
};

/// Which requests are let in.
struct access_rules {
  known_paths paths = {};
  /// Refuse a `Host` that is not this machine: against DNS rebinding, while bound to loopback.
  bool loopback_only = true;
  /// The address that the gateway listens on; always allowed as `Host`.
  std::string host = {};
  /// What clients may call the gateway in `Host` besides that: names or addresses, with any port or with that one; `*`
  /// allows all. When it is empty any is allowed, unless bound to loopback.
  std::vector<std::string> allowed_hosts = {};
  /// Proxies that are believed when they say what clients call the gateway.
  ip_networks trusted_proxies = {};
  /// Allowed origins besides this machine; `*` allows all.
  std::vector<std::string> allow_origins = {};
  /// Answer `/debug/state`, to this machine only and not through a proxy.
  bool shows_state = false;
  /// Answer with the documents about endpoints (RFC 9728), which name an issuer of tokens.
  bool has_metadata = false;
};

// `server` in each of the following is the server in the path; empty when the path is that of all servers merged.

/// A POST to the MCP endpoint. Only `initialize` may have an empty `session`.
struct wants_post {
  std::string server;
  std::string session;
  post_body body;
};
/// A GET of the MCP endpoint: for the server's own messages, or to resume a stream; `last` is its `Last-Event-ID`.
struct wants_stream {
  std::string server;
  std::string session;
  std::string last;
};
/// A GET that begins a session of HTTP+SSE (2024-11-05).
struct wants_sse {
  std::string server;
};
/// A POST to a session of HTTP+SSE.
struct wants_sse_post {
  std::string server;
  std::string session;
  post_body body;
};
/// A DELETE of the session.
struct wants_end {
  std::string server;
  std::string session;
};
/// A POST of a request of 2026-07-28, which stands alone. It kept the rules that can be checked by the request itself.
struct wants_answer {
  std::string server;
  message request;
  request_envelope envelope;
};
/// A POST of a notification of 2026-07-28, which has none that a client could send: accepted and dropped.
struct wants_nothing {};
using parsed_request = std::variant<rejection, wants_post, wants_stream, wants_end, wants_sse, wants_sse_post,
                                    wants_answer, wants_nothing>;

struct wants_endpoint;

/// Parses a request that came in, or refuses it. By the rules of 2024-11-05 to 2025-11-25 they are checked in this
/// order: method, media types, form of the headers, JSON, version, form of `initialize`, session id; for those of
/// 2026-07-28 see `read_stateless`. Moves the body out of the request.
parsed_request parse_request(http_request& request, wants_endpoint at);

/// The CORS fields of an answer, which a browser needs to read it; none unless the request has an allowed `Origin`.
std::vector<std::pair<std::string, std::string>> cross_origin_fields(const http_request& request,
                                                                     const access_rules& access);

// -- answers ---------------------------------------------------------------------------

http_response rejection_response(const rejection& refused);
/// A JSON-RPC answer; with a session id when it is the answer to a successful `initialize`.
http_response json_response(std::string text, std::string_view session);
/// 202: notifications or responses were accepted.
http_response accepted_response();
/// 200: a DELETE ended the session.
http_response ended_response();
http_response health_response(bool healthy);
/// 200: the gateway is ready, see `not_ready`.
http_response ready_response();
http_response preflight_response(const http_request& request);
/// The head of an event stream.
http_response stream_head();

} // namespace troupe::protocol

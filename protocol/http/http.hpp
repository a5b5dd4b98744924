#pragma once

#include "protocol/message/message.hpp"
#include "protocol/rejection.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// A request's header field; views into what the exchange keeps.
struct http_field {
  std::string_view name;
  std::string_view value;
};

/// An HTTP request as its exchange holds it; the views live as long as that has it.
struct http_request {
  std::string_view method;
  std::string_view target;
  std::vector<http_field> fields;
  std::string body;
  /// Whether it came from this machine.
  bool is_local = false;

  /// The first value under a name, without the white space around it; empty when there is none. Any case of letters.
  std::string_view field(std::string_view name) const;
};

/// An HTTP answer. `Content-Length`, `Date` and `Connection` are added where it is written.
struct http_response {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;
};

/// Who may come in.
struct door {
  /// Refuse a `Host` that is not this machine: the defence against DNS rebinding while bound to loopback.
  bool loopback_only = true;
  /// The address that we listen on, always a good `Host`.
  std::string host = {};
  /// Further origins that browsers may come from; `*` admits all.
  std::vector<std::string> allow_origins = {};
  /// Show the gateway's state to whoever asks from this machine.
  bool shows_state = false;
};

// -- what a request wants ------------------------------------------------------------

struct wants_health {};
struct wants_readiness {};
/// A browser asks whether it may send the real request.
struct wants_preflight {};
/// The gateway's state, for an operator or a test.
struct wants_state {};
// Each of the following names the server whose path it came to; none when it came to that of all servers.

/// A POST to the MCP endpoint. `session` is empty when the client named none: then it is `initialize`.
struct wants_post {
  std::string server;
  std::string session;
  post_body body;
};
/// A GET for the server's own messages, or for the rest of a stream after the event `last`.
struct wants_stream {
  std::string server;
  std::string session;
  std::string last;
};
/// A GET that is a session of HTTP+SSE (2024-11-05).
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
using wish = std::variant<rejection, wants_health, wants_readiness, wants_preflight, wants_state, wants_post,
                          wants_stream, wants_end, wants_sse, wants_sse_post>;

/// Reads a request by the rules of the session era, 2024-11-05 to 2025-11-25, in the order in which they refuse: Origin
/// and Host (probes of health may come from anywhere), path, method, media types, form of the headers, JSON, version,
/// and that there is a session id. Takes the body.
wish read_wish(http_request& request, const door& at);

/// What a browser needs in order to read our answer: fields for every answer to a request with an allowed `Origin`.
std::vector<std::pair<std::string, std::string>> cross_origin_fields(const http_request& request, const door& at);

// -- answers ---------------------------------------------------------------------------

http_response rejection_response(const rejection& refused);
/// A JSON-RPC answer; with a session id when it is the answer to a successful `initialize`.
http_response json_response(std::string text, std::string_view session);
/// Notifications and responses were taken.
http_response accepted_response();
/// The session was ended.
http_response ended_response();
http_response health_response(bool healthy);
http_response preflight_response(const http_request& request);
/// The head of an event stream.
http_response stream_head();

} // namespace troupe::protocol

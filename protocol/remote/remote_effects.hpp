#pragma once

#include "protocol/call_priority.hpp"
#include "protocol/log.hpp"
#include "protocol/message/era.hpp"
#include "protocol/message/message.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Number of an HTTP request to a remote server and of its answer, assigned by the state machine; never reused.
using http_call_id = std::uint64_t;

using http_fields = std::vector<std::pair<std::string, std::string>>;

/// Transport of a remote server: as configured, or as detected from its answers.
enum class remote_kind { detect, streamable_http, http_sse };

/// Configuration of a remote server. Times of zero mean no limit.
struct remote_options {
  std::string url;
  remote_kind kind = remote_kind::detect;
  /// Era of the server. When automatic, a refusal of `initialize` that may come from a stateless (2026-07-28) server
  /// leaves the server usable; `server/discover` is expected next.
  server_era era = server_era::automatic;
  /// Configured header fields, such as credentials. Sent with every request, but never in place of our own.
  http_fields headers = {};
  /// Whether requests carry renewable credentials: credentials refused now may be valid later.
  bool renews_credentials = false;
  /// Time that HTTP+SSE waits for the `endpoint` event.
  std::chrono::milliseconds endpoint = std::chrono::seconds{10};
  /// Time that a notification or a response waits to be accepted.
  std::chrono::milliseconds accept = std::chrono::seconds{30};
  /// Longest silence while a call awaits its answer. Longer than a session's time limit, so that the session cancels
  /// first.
  std::chrono::milliseconds read = std::chrono::minutes{6};
  /// Longest silence on the stream of the server's own messages: not every server keeps it alive.
  std::chrono::milliseconds listen_silence = {};
  /// Longest JSON answer or event, in bytes.
  std::size_t message = 10 * 1024 * 1024;
  /// Limit of messages that wait for the server to be initialized, in bytes.
  std::size_t held = 10 * 1024 * 1024;
};

// Events of an HTTP request to a remote server.

/// The request got a connection and is sent now.
struct call_begun {};
struct call_head {
  int status = 0;
  http_fields fields = {};
};
struct call_body {
  std::string bytes;
};
/// The answer is complete.
struct call_ended {};
/// The request failed; `is_shortage` if no descriptor or memory was left to connect.
struct call_failed {
  std::string why;
  bool is_shortage = false;
};
/// The request was not sent for lack of a token.
struct call_withheld {
  std::string why;
};

struct call_event {
  http_call_id call = 0;
  std::variant<call_begun, call_head, call_body, call_ended, call_failed, call_withheld> what;
  /// Number of the attempt to send the request, for who sends it.
  std::uint64_t attempt = 0;

  /// True if the request is over.
  bool is_last() const { return std::holds_alternative<call_ended>(what) || std::holds_alternative<call_failed>(what); }
};

// Decisions of a remote server, carried out by its actor in this order.

/// Begin an HTTP request; its events carry the same number. `patience` is the longest silence, zero for no limit.
/// `requester` is the caller whose message it carries; null when no caller sent it.
struct send_call {
  http_call_id call = 0;
  std::string method;
  std::string url;
  http_fields fields;
  std::string body;
  std::chrono::milliseconds patience = {};
  call_priority turn = call_priority::uncounted;
  std::shared_ptr<const principal> requester = {};
  friend bool operator==(const send_call&, const send_call&) = default;
};

/// Close an HTTP request; no further events of it are reported.
struct drop_call {
  http_call_id call = 0;
  friend bool operator==(const drop_call&, const drop_call&) = default;
};

/// Stop counting an HTTP request against the limit of connections, and leave it open. With `may_end`, its answer is no
/// longer needed: it may be ended, as if it had failed, when its connection is needed.
struct release_call {
  http_call_id call = 0;
  bool may_end = false;
  friend bool operator==(const release_call&, const release_call&) = default;
};

/// Handle a message of the server, or our own error in place of its answer.
struct deliver_message {
  message what;
  /// For a notification of 2026-07-28: the request on whose stream it came, by the id that it was sent with.
  std::string concerns = {};
  friend bool operator==(const deliver_message&, const deliver_message&) = default;
};

/// The session with the server is over; the last effect.
struct lose_server {
  std::string why;
  /// True if the gateway had no descriptor or memory left to reach the server.
  bool is_shortage = false;
  /// True if the server forgot the session: unanswered requests never ran, and may be sent in another session.
  bool is_expired = false;
  friend bool operator==(const lose_server&, const lose_server&) = default;
};

/// Send a last request and ignore its answer.
struct send_last_request {
  std::string method;
  std::string url;
  http_fields fields;
  friend bool operator==(const send_last_request&, const send_last_request&) = default;
};

using remote_effect =
    std::variant<send_call, drop_call, release_call, deliver_message, lose_server, log_note, send_last_request>;
using remote_effects = std::vector<remote_effect>;

} // namespace troupe::protocol

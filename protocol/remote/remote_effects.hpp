#pragma once

#include "protocol/call_turn.hpp"
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

/// One HTTP request to a remote server and its answer, numbered by the machine; never used again.
using http_call_id = std::uint64_t;

using http_fields = std::vector<std::pair<std::string, std::string>>;

/// How a remote server is spoken to: as its configuration says, or as it turns out to answer.
enum class remote_kind { detect, streamable_http, http_sse };

/// What is known of a remote server before it is spoken to. Times that are zero are endless.
struct remote_options {
  std::string url;
  remote_kind kind = remote_kind::detect;
  /// When it is to be found out, a refusal of `initialize` that may be a modern server's leaves the server usable:
  /// `server/discover` is expected then.
  server_era era = server_era::automatic;
  /// Configured header fields, such as credentials: sent with every request, but never instead of our own.
  http_fields headers = {};
  /// Whether requests are sent with credentials that are renewed: those that are refused now may be good later.
  bool renews_credentials = false;
  /// How long HTTP+SSE waits for the `endpoint` event.
  std::chrono::milliseconds endpoint = std::chrono::seconds{10};
  /// How long a notification or a response waits to be accepted.
  std::chrono::milliseconds accept = std::chrono::seconds{30};
  /// Longest silence while a call awaits its answer. Longer than a session's patience, so that it is the session who
  /// cancels.
  std::chrono::milliseconds read = std::chrono::minutes{6};
  /// Longest silence on the stream of the server's own messages: not every server keeps it alive.
  std::chrono::milliseconds listen_silence = {};
  /// Longest JSON answer or event, in bytes.
  std::size_t message = 10 * 1024 * 1024;
  /// What waits for the server to be initialized, in bytes.
  std::size_t held = 10 * 1024 * 1024;
};

// What a remote server decides, and its actor carries out in this order.

/// Begin an HTTP request; what becomes of it is told under its number. `patience` is the longest silence, zero when
/// endless. `asker` is whose message it carries, null for what nobody in particular has sent.
struct send_call {
  http_call_id call = 0;
  std::string method;
  std::string url;
  http_fields fields;
  std::string body;
  std::chrono::milliseconds patience = {};
  call_turn turn = call_turn::uncounted;
  std::shared_ptr<const principal> asker = {};
  friend bool operator==(const send_call&, const send_call&) = default;
};

/// Close an HTTP request; nothing more is told of it.
struct drop_call {
  http_call_id call = 0;
  friend bool operator==(const drop_call&, const drop_call&) = default;
};

/// Count an HTTP request no more among those that wait for each other, and leave it open. One that `may_end` has
/// brought all that anybody waits for: it may be ended, as one that failed, when its connection is needed.
struct release_call {
  http_call_id call = 0;
  bool may_end = false;
  friend bool operator==(const release_call&, const release_call&) = default;
};

/// The server said this, or it is our own error in its stead.
struct take_message {
  message what;
  /// For a notification of 2026-07-28: the request on whose stream it came, by the id that it was sent with.
  std::string concerns = {};
  friend bool operator==(const take_message&, const take_message&) = default;
};

/// The server is gone: the last effect there is.
struct lose_server {
  std::string why;
  /// It was not reached, since we had no descriptor or memory left.
  bool is_shortage = false;
  /// It has forgotten the session: the requests that have no answer by now never ran, and may be sent in another.
  bool is_expired = false;
  friend bool operator==(const lose_server&, const lose_server&) = default;
};

/// Send a last request, whose answer interests nobody.
struct say_farewell {
  std::string method;
  std::string url;
  http_fields fields;
  friend bool operator==(const say_farewell&, const say_farewell&) = default;
};

using remote_effect =
    std::variant<send_call, drop_call, release_call, take_message, lose_server, log_note, say_farewell>;
using remote_effects = std::vector<remote_effect>;

} // namespace troupe::protocol

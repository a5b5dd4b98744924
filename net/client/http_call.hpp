#pragma once

#include "net/reach.hpp"
#include "protocol/call_priority.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {
struct http_url;
}

namespace troupe::net {

class client_trust;

using http_fields = std::vector<std::pair<std::string, std::string>>;

/// Options of a client: the certificates that it trusts, limits in bytes, and time limits.
struct http_client_options {
  /// Certificates, may be shared by many clients; the system's authorities alone when null.
  std::shared_ptr<client_trust> trust = {};
  /// Limit of looking up the server, connecting and the TLS handshake.
  std::chrono::milliseconds connect = std::chrono::seconds{10};
  /// Limit from the last byte of a request that got out to the whole head of its answer; 0 means none.
  std::chrono::milliseconds head = std::chrono::minutes{5};
  /// Longest time without a byte of the body; 0 means no limit.
  std::chrono::milliseconds silence = std::chrono::minutes{5};
  /// Longest head of an answer, and longest trailer, in bytes.
  std::size_t head_limit = 64 * 1024;
  /// Time that a connection is kept for the next call, and how many are kept.
  std::chrono::milliseconds idle = std::chrono::seconds{30};
  std::size_t idle_connections = 64;
  /// Most requests that have a connection at a time, not counting one for each client; at least 1. Further ones wait.
  std::size_t connections = 64;
};

/// Request and its time limits; 0 takes the limit of the options, if there is one. The limit of the head also applies
/// to the wait for a connection.
struct http_call {
  std::string method;
  /// Absolute URL, `http://` or `https://`.
  std::string url;
  http_fields fields = {};
  std::string body = {};
  std::chrono::milliseconds head_timeout{0};
  std::chrono::milliseconds silence{0};
  /// Limit from the start to the end of the answer, whatever arrives meanwhile; 0 means none.
  std::chrono::milliseconds whole{0};
  protocol::call_priority turn = protocol::call_priority::uncounted;
  reach may = reach::any;
  /// Whether to follow one redirect that keeps method and body (RFC 9110, 15.4.8 and 15.4.9; for GET, 15.4.2 and 15.4.3
  /// as well). Only within the origin, as the request may contain secrets.
  bool follows = false;
};

struct http_answer_head {
  int status = 0;
  http_fields fields;

  /// Returns the first value under a name, in any case of letters; empty when there is none.
  std::string_view field(std::string_view name) const;
};

/// Callbacks of a call, called on the client's thread, never from inside a call to the client.
struct http_call_events {
  std::function<void(http_answer_head)> head = nullptr;
  /// Receives the body as it arrives, without the framing of chunks; never empty.
  std::function<void(std::string bytes)> body = nullptr;
  /// The answer is complete.
  std::function<void()> end = nullptr;
  /// Receives the failure in one line, at any point, instead of `end`. The line contains neither query nor values of
  /// fields. `is_shortage` when we had no descriptor or memory left to connect.
  std::function<void(std::string why, bool is_shortage)> failed = nullptr;
  /// The call has waited for a connection and begins now.
  std::function<void()> begun = nullptr;
};

/// Returns the request line and the fields of a call, up to and with the empty line. Empty when the request is invalid,
/// and then `why_not` says why.
std::string request_head(const http_call& what, const protocol::http_url& to, std::string& why_not);

} // namespace troupe::net

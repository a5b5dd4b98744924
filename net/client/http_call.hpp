#pragma once

#include "net/reach.hpp"
#include "protocol/call_turn.hpp"

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

/// The certificates that a client trusts, its limits in bytes and its time limits.
struct http_client_options {
  /// May be shared by many clients; the system's authorities alone when there is none.
  std::shared_ptr<client_trust> trust = {};
  /// To find the server, connect and shake hands.
  std::chrono::milliseconds connect = std::chrono::seconds{10};
  /// From the last byte of a request that got out to the whole head of its answer; 0 is for ever.
  std::chrono::milliseconds head = std::chrono::minutes{5};
  /// The longest time without a byte of the body; 0 is for ever.
  std::chrono::milliseconds silence = std::chrono::minutes{5};
  /// Longest head of an answer, longest trailer.
  std::size_t head_limit = 64 * 1024;
  /// How long a connection is kept for the next call, and how many are.
  std::chrono::milliseconds idle = std::chrono::seconds{30};
  std::size_t idle_connections = 64;
  /// Requests that have a connection at a time, not counting one for each client; at least 1. Further ones wait.
  std::size_t connections = 64;
};

/// A request and its time limits; 0 takes those of the options, where there are such. One that waits for a connection
/// has the time of its head.
struct http_call {
  std::string method;
  /// Absolute, `http://` or `https://`.
  std::string url;
  http_fields fields = {};
  std::string body = {};
  std::chrono::milliseconds head_patience{0};
  std::chrono::milliseconds silence{0};
  /// From its start to the end of its answer, whatever arrives meanwhile; 0 is for ever.
  std::chrono::milliseconds whole{0};
  protocol::call_turn turn = protocol::call_turn::uncounted;
  reach may = reach::any;
  /// One redirect that keeps method and body (RFC 9110, 15.4.8 and 15.4.9; of a GET, 15.4.2 and 15.4.3 as well) is
  /// followed, within the origin: what is sent there may be secret.
  bool follows = false;
};

struct http_answer_head {
  int status = 0;
  http_fields fields;

  /// The first value under a name, in any case of letters; empty when there is none.
  std::string_view field(std::string_view name) const;
};

/// What becomes of a call, told on the client's thread, never from inside a call to the client.
struct http_call_events {
  std::function<void(http_answer_head)> head = nullptr;
  /// As it arrives, without the framing of chunks; never empty.
  std::function<void(std::string bytes)> body = nullptr;
  /// The answer is complete.
  std::function<void()> end = nullptr;
  /// In one line, at any point, instead of `end`. It has neither query nor values of fields in it. `is_shortage` when
  /// we had no descriptor or memory left to connect.
  std::function<void(std::string why, bool is_shortage)> failed = nullptr;
  /// It has waited for a connection and begins now.
  std::function<void()> begun = nullptr;
};

/// The request line and the fields of a call, up to and with the empty line. Empty when it is no good request, and
/// then `why_not` says why.
std::string request_head(const http_call& what, const protocol::http_url& to, std::string& why_not);

} // namespace troupe::net

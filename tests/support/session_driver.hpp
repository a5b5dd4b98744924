#pragma once

#include "protocol/delivery/http_delivery.hpp"
#include "protocol/delivery/sse_delivery.hpp"
#include "protocol/session/session.hpp"
#include "tests/support/protocol_effects.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace troupe::tests {

using namespace protocol;
using namespace std::chrono_literals;

// -- messages --------------------------------------------------------------------

inline std::string request(std::string id, std::string method, std::string params = "{}") {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":)" + params + "}";
}

/// A request with a progress token.
inline std::string request_with(std::string token, std::string id, std::string method) {
  return request(id, method, R"({"_meta":{"progressToken":)" + token + "}}");
}

inline std::string note(std::string method, std::string params = "{}") {
  return R"({"jsonrpc":"2.0","method":")" + method + R"(","params":)" + params + "}";
}

inline std::string result(std::string id, std::string value = "{}") {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + value + "}";
}

inline std::string progress(std::string token, std::string amount = "1") {
  return note("notifications/progress", R"({"progressToken":)" + token + R"(,"progress":)" + amount + "}");
}

inline std::string cancelled(std::string id) { return note("notifications/cancelled", R"({"requestId":)" + id + "}"); }

inline std::string timed_out(std::string id) { return cancellation_of(id, "timeout").text; }

inline std::string failed(std::string id, std::string why) { return error_text(id, -32603, why); }

/// The client's `initialize`, by default with all client capabilities.
inline std::string hello(std::string id, std::string version = "2025-11-25",
                         std::string capabilities = R"({"sampling":{},"elicitation":{},"roots":{}})") {
  return request(id, "initialize", R"({"protocolVersion":")" + version + R"(","capabilities":)" + capabilities + "}");
}

inline std::string welcome(std::string id, std::string version = "2025-11-25") {
  return result(id, R"({"protocolVersion":")" + version + R"("})");
}

const std::string initialized = note("notifications/initialized");

/// A request that is forwarded under our own id.
inline forward asked(std::string text, const std::string& own) {
  auto one = gateway_message(std::move(text));
  EXPECT_EQ(one.id, own);
  return {std::move(one)};
}

/// A forwarded message that needs no answer.
inline forward forwarded(std::string text) { return {gateway_message(std::move(text))}; }

// -- the session ------------------------------------------------------------------

/// Drives a session of Streamable HTTP. Time passes only in `after`. The effects omit the positions of messages on
/// streams.
struct session_driver {
  explicit session_driver(const session_limits& limits = {}, const http_limits& http = {})
      : it{limits, std::make_unique<http_delivery>(http, tag), now} {}

  effects posts(exchange_id exchange, std::string text) {
    return without_positions(it.client_sent(exchange, std::get<post_body>(read_body(std::move(text))), now));
  }
  effects listens(exchange_id exchange, std::string_view last = {}) {
    return without_positions(it.client_listens(exchange, last, now));
  }
  effects deletes(exchange_id exchange) { return without_positions(it.client_ends(exchange, now)); }
  effects leaves(exchange_id exchange) { return without_positions(it.client_lost(exchange, now)); }
  effects server(std::string text) {
    return without_positions(it.server_sent(std::get<message>(read_message(std::move(text))), now));
  }
  effects server_lost(const std::string& why) { return without_positions(it.server_lost(why, now)); }
  effects drain(bool at_once = false) { return without_positions(it.close({.at_once = at_once}, now)); }
  effects after(std::chrono::nanoseconds time) { return without_positions(it.tick(now += time)); }

  /// Agrees on a version between client and server, with our id 1 and exchange 1.
  session_driver& agreed(std::string version = "2025-11-25") {
    posts(1, hello("0", version));
    server(welcome("1", version));
    return *this;
  }
  /// Initializes the session by exchange 2. Our next id is 2.
  session_driver& opened(std::string version = "2025-11-25") {
    agreed(std::move(version)).posts(2, initialized);
    return *this;
  }

  time_point now{1h};
  session it;
};

/// Drives a session of HTTP+SSE, whose stream is exchange 100.
struct sse_driver : session_driver {
  explicit sse_driver(const session_limits& limits = {}) {
    it = session{limits, std::make_unique<sse_delivery>("/messages?sessionId=x"), now};
    listens(100);
  }
};

} // namespace troupe::tests

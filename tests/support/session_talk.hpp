#pragma once

#include "protocol/session.hpp"
#include "tests/support/protocol_effects.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

namespace troupe::tests {

using namespace protocol;
using namespace std::chrono_literals;

// -- messages --------------------------------------------------------------------

inline std::string request(std::string id, std::string method, std::string params = "{}") {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":)" + params + "}";
}

/// A request that wants progress under a token.
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

inline std::string timed_out(std::string id) { return cancelled_text(id, "timeout"); }

inline std::string failed(std::string id, std::string why) { return error_text(id, -32603, why); }

inline std::string hello(std::string id, std::string version = "2025-11-25") {
  return request(id, "initialize", R"({"protocolVersion":")" + version + R"("})");
}

inline std::string welcome(std::string id, std::string version = "2025-11-25") {
  return result(id, R"({"protocolVersion":")" + version + R"("})");
}

const std::string initialized = note("notifications/initialized");

/// The gateway forwards a request under an id of its own.
inline forward asked(std::string text, std::string own) { return {std::move(text), std::move(own)}; }

/// The gateway forwards what awaits no answer.
inline forward said(std::string text) { return {std::move(text), {}}; }

// -- the session ------------------------------------------------------------------

/// A session, and the hand that tells it facts. Time passes only when told.
struct talk {
  explicit talk(const session_limits& limits = {}) : it{limits, now} {}

  effects posts(exchange_id exchange, std::string text) {
    return it.client_sent(exchange, std::get<post_body>(read_body(std::move(text))), now);
  }
  effects listens(exchange_id exchange) { return it.client_listens(exchange, now); }
  effects deletes(exchange_id exchange) { return it.client_ends(exchange); }
  effects leaves(exchange_id exchange) { return it.client_lost(exchange, now); }
  effects server(std::string text) { return it.server_sent(std::get<message>(read_message(std::move(text))), now); }
  effects after(std::chrono::nanoseconds time) { return it.tick(now += time); }

  /// Brings the session to where client and server agree on a version, with our id 1 and exchange 1.
  talk& agreed(std::string version = "2025-11-25") {
    posts(1, hello("0", version));
    server(welcome("1", version));
    return *this;
  }
  /// Brings it to where the client has said that it is initialized, with exchange 2. The next id of ours is 2.
  talk& opened(std::string version = "2025-11-25") {
    agreed(std::move(version)).posts(2, initialized);
    return *this;
  }

  time_point now{1h};
  session it;
};

} // namespace troupe::tests

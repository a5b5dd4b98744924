#pragma once

#include "protocol/modern_client/server_as_modern.hpp"
#include "tests/support/stateless_driver.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::tests {

// -- texts ---------------------------------------------------------------------------

inline std::string question(std::string id, std::string method = "elicitation/create",
                            std::string params = R"({"message":"?","requestedSchema":{}})") {
  return request(std::move(id), std::move(method), std::move(params));
}

const std::string accepted = R"({"action":"accept","content":{}})";

// -- the adapter --------------------------------------------------------------------------

inline std::vector<std::string> seal_of_tests(std::string_view text) {
  return {std::to_string(1'000'000'000 + std::hash<std::string_view>{}(text) % 1'000'000'000)};
}

/// The `requestState` for a round of a call.
inline std::string state_of(exchange_id call, std::uint64_t round) {
  return sealed_request_state({"lease", call, round}, seal_of_tests);
}

/// The members of a retry with answers, such as `"q1":{}`.
inline std::string retry_members(exchange_id call, std::uint64_t round, const std::string& responses) {
  return R"("inputResponses":{)" + responses + R"(},"requestState":")" + state_of(call, round) + "\"";
}

/// The answer on the exchange of a parked call.
inline send_response input_required(exchange_id exchange, std::string id, const std::string& questions,
                                    exchange_id call, std::uint64_t round) {
  return answered(exchange,
                  result(std::move(id), R"({"inputRequests":{)" + questions + R"(},"requestState":")" +
                                            state_of(call, round) + R"(","resultType":"input_required","_meta":{)" +
                                            info_member + "}}"));
}

const client_profile asked_anything{.form = true, .url = true, .sampling = true, .roots = true};

inline server_as_modern_rules adapter_rules(client_profile can = asked_anything) {
  return {.can = can, .lease = "lease", .seal = seal_of_tests, .version = "1.0"};
}

/// Drives the adapter of a server. Time passes only in `after`.
struct server_as_modern_driver {
  explicit server_as_modern_driver(server_as_modern_rules rules = adapter_rules())
      : can{rules.can}, it{std::move(rules)} {}

  stateless_effects asks(exchange_id exchange, std::string text, std::optional<severity> level = {}) {
    return seen([&](auto& out) {
      auto one = gateway_message(std::move(text));
      one.requester = requester;
      it.asked(exchange, std::move(one), {.version = "2026-07-28", .can = can, .log_level = level}, now, out);
    });
  }
  stateless_effects closes(exchange_id exchange) {
    return seen([&](auto& out) { it.withdrawn(exchange, now, out); });
  }
  stateless_effects server(std::string text) {
    return seen([&](auto& out) { it.server_sent(gateway_message(std::move(text)), now, out); });
  }
  stateless_effects lost() {
    return seen([&](auto& out) { it.server_lost("The MCP server died", now, out); });
  }
  stateless_effects ends() {
    return seen([&](auto& out) { it.end("The lease ends", out); });
  }
  stateless_effects after(std::chrono::milliseconds time) {
    return seen([&](auto& out) { it.tick(now += time, out); });
  }
  template <class Tell>
  static stateless_effects seen(Tell tell) {
    stateless_effects out;
    tell(out);
    return out;
  }

  /// Initializes the server with those capabilities, by exchange 1000 and the id "face-1".
  void starts(const std::string& capabilities = R"({"prompts":{}})") {
    asks(1000, modern("1", "server/discover"));
    server(result("\"face-1\"", R"({"protocolVersion":"2025-11-25","capabilities":)" + capabilities +
                                    R"(,"serverInfo":{"name":"s","version":"1"}})"));
  }
  /// Sends a call to the server.
  void calls(exchange_id exchange, std::string id = "7") {
    asks(exchange, modern(std::move(id), "prompts/get", R"("name":"p")"));
  }
  /// Sends a call, and parks it by a server request.
  void parks(exchange_id exchange, std::string question_id) {
    calls(exchange);
    server(question(std::move(question_id)));
  }
  stateless_effects retries(exchange_id exchange, exchange_id call, std::uint64_t round, const std::string& responses) {
    return asks(exchange, modern("8", "prompts/get", R"("name":"p",)" + retry_members(call, round, responses)));
  }

  time_point now{1h};
  /// The client's capabilities for each request.
  client_profile can;
  std::shared_ptr<const principal> requester;
  server_as_modern it;
};

/// Begins with an initialized server and one call, of exchange 5 and id 7.
struct parked_call_driver : server_as_modern_driver {
  explicit parked_call_driver(server_as_modern_rules rules = adapter_rules())
      : server_as_modern_driver{std::move(rules)} {
    starts();
    calls(5);
  }
  /// A retry of the call in that exchange, with custom params.
  stateless_effects retries_with(exchange_id exchange, const std::string& params, std::string method = "prompts/get") {
    return asks(exchange, modern("8", std::move(method), params));
  }
};

} // namespace troupe::tests

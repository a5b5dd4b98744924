#pragma once

#include "protocol/modern_server/server_as_legacy.hpp"
#include "tests/support/session_driver.hpp"

#include <memory>
#include <ostream>
#include <string>
#include <utility>

// Printers for failed comparisons of effects.
namespace troupe::protocol {

inline void PrintTo(const deliver_to_user& one, std::ostream* out) {
  *out << "show_user " << one.concerns << ' ' << one.what.text;
}
inline void PrintTo(const deliver_to_server& one, std::ostream* out) { *out << "send_server " << one.what.text; }
inline void PrintTo(const note_era& one, std::ostream* out) {
  *out << "note_era " << (one.is == server_era::stateless ? "modern" : "session") << ' ' << one.doubt;
}

inline void PrintTo(const start_again&, std::ostream* out) { *out << "start_again"; }
inline void PrintTo(const give_up& one, std::ostream* out) { *out << "give_up " << one.why; }

} // namespace troupe::protocol

namespace troupe::tests {

inline deliver_to_server asks(std::string text) { return {gateway_message(std::move(text))}; }
inline deliver_to_user shows_user(std::string text, std::string concerns = {}) {
  return {gateway_message(std::move(text)), std::move(concerns)};
}

/// The `_meta` members of a client with the `initialize` of `hello`.
const std::string envelope = R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                             R"("io.modelcontextprotocol/clientCapabilities":)"
                             R"({"elicitation":{"form":{}},"sampling":{},"roots":{}})";

/// A request to a 2026-07-28 server. `params` are members, each with a comma before it.
inline std::string enveloped(std::string id, std::string method, std::string params = {}, std::string meta = {}) {
  return request(std::move(id), std::move(method), R"({"_meta":{)" + envelope + meta + "}" + params + "}");
}

inline std::string discover(std::string number = "1") {
  return enveloped("\"troupe-discover-" + number + "\"", "server/discover");
}

/// The answer of a 2026-07-28 server to `server/discover`.
inline std::string discovered(std::string capabilities = R"({"tools":{}})", std::string number = "1") {
  return result("\"troupe-discover-" + number + "\"",
                R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":)" + capabilities +
                    R"(,"instructions":"be kind","ttlMs":0,"cacheScope":"private","_meta":)" +
                    R"({"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}})");
}
inline std::string greeted(std::string capabilities = R"({"tools":{}})", std::string version = "2025-11-25") {
  return result("0", R"({"protocolVersion":")" + version + R"(","capabilities":)" + capabilities +
                         R"(,"serverInfo":{"name":"s","version":"1"},"instructions":"be kind"})");
}

inline std::string error(std::string id, int code, std::string more = {}) {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"error":{"code":)" + std::to_string(code) + R"(,"message":"no")" +
         more + "}}";
}
inline std::string refuses_version(std::string id, std::string supported) {
  return error(std::move(id), -32022, R"(,"data":{"supported":)" + supported + R"(,"requested":"x"})");
}

/// The effects with the outcome of each answer set from its text.
inline adapter_effects counted_right(adapter_effects all) {
  for (auto& one : all) {
    auto* shown = std::get_if<deliver_to_user>(&one);
    if (shown && shown->what.kind == message_kind::response) {
      EXPECT_EQ(shown->what.outcome, gateway_message(shown->what.text).outcome) << shown->what.text;
    }
  }
  return all;
}

/// Drives an adapter. Time passes only explicitly.
struct server_as_legacy_driver {
  explicit server_as_legacy_driver(server_as_legacy_rules rules = {.known = server_era::stateless,
                                                                   .name = "server",
                                                                   .mark = "mark"})
      : it{std::move(rules)} {}

  adapter_effects user(std::string text) { return counted_right(it.user_sent(gateway_message(std::move(text)), now)); }
  /// A message of one of several users.
  adapter_effects user_of_many(std::string text, const std::string& initialize) {
    return user_of_many(std::move(text), std::make_shared<const user_envelope>(gateway_message(initialize), 1000));
  }
  adapter_effects user_of_many(std::string text, envelope_of_user who) {
    return it.user_sent(gateway_message(std::move(text)), now, std::move(who));
  }
  adapter_effects server(std::string text, std::string_view concerns = {}) {
    return counted_right(it.server_sent(gateway_message(std::move(text)), now, concerns));
  }
  adapter_effects lost() { return it.server_lost(now); }
  adapter_effects after(std::chrono::nanoseconds time) { return it.tick(now += time); }

  /// Detects a 2026-07-28 server and initializes the user.
  server_as_legacy_driver& opened(const std::string& capabilities = R"({"tools":{}})",
                                  const std::string& initialize = hello("0")) {
    user(initialize);
    server(discovered(capabilities));
    return *this;
  }

  time_point now{1h};
  server_as_legacy it;
};

} // namespace troupe::tests

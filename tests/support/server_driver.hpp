#pragma once

#include "protocol/message/subscribed_uris.hpp"
#include "protocol/supervised/supervised_server.hpp"
#include "tests/support/session_driver.hpp"

#include <ostream>
#include <string>
#include <utility>

// Printers for failed comparisons of effects.
namespace troupe::protocol {

inline void PrintTo(const start_server&, std::ostream* out) { *out << "start_server"; }
inline void PrintTo(const stop_server&, std::ostream* out) { *out << "stop_server"; }
inline void PrintTo(const send_to_server& one, std::ostream* out) { *out << "tell_server " << one.what.text; }
inline void PrintTo(const send_to_user& one, std::ostream* out) {
  *out << "tell_user " << one.user << ' ' << one.what.text;
}
inline void PrintTo(const end_user& one, std::ostream* out) { *out << "end_user " << one.user << ' ' << one.why; }
inline void PrintTo(const server_status& one, std::ostream* out) {
  *out << "phase " << static_cast<int>(one.is) << " restarts " << one.restarts << " pause " << one.pause.count()
       << " ms " << one.why;
}
inline void PrintTo(const show_status& one, std::ostream* out) {
  *out << "show_status ";
  PrintTo(one.status, out);
}
inline void PrintTo(const log_note& one, std::ostream* out) { *out << "log_note " << one.text; }
inline void PrintTo(const note_sharing& one, std::ostream* out) {
  *out << "note_sharing " << (one.is_shared ? "shared" : "alone");
}

} // namespace troupe::protocol

namespace troupe::tests {

using phase = server_status::phase;

inline send_to_server to_server(std::string text) { return {gateway_message(std::move(text))}; }
inline send_to_user to_user(user_id user, std::string text) { return {user, gateway_message(std::move(text))}; }

inline show_status shows(phase is, std::uint64_t restarts = 0, std::string why = {},
                         std::chrono::milliseconds pause = {}) {
  return {{is, restarts, std::move(why), pause}};
}

/// The result of `initialize` of a server with tools.
const std::string greeting = R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}}})";

inline std::string list_changed(std::string group) { return note("notifications/" + group + "/list_changed"); }
/// A notification in the gateway's own format.
inline std::string our_note(std::string method) {
  return R"({"jsonrpc":"2.0","method":"notifications/)" + method + "\"}";
}

/// The notification for users of a restarted server.
inline std::string list_changed_again(std::string group) { return our_note(group + "/list_changed"); }

inline std::string subscribe(std::string id, std::string uri) {
  return request(std::move(id), "resources/subscribe", R"({"uri":")" + uri + "\"}");
}
inline std::string unsubscribe(std::string id, std::string uri) {
  return request(std::move(id), "resources/unsubscribe", R"({"uri":")" + uri + "\"}");
}
inline std::string set_level(std::string id, std::string level) {
  return request(std::move(id), "logging/setLevel", R"({"level":")" + level + "\"}");
}
inline std::string updated(std::string uri) {
  return note("notifications/resources/updated", R"({"uri":")" + uri + "\"}");
}
inline std::string logs(std::string level) { return note("notifications/message", R"({"level":")" + level + "\"}"); }

/// Drives a supervised server. Time passes only explicitly.
struct server_driver {
  explicit server_driver(supervision_rules rules = {}) : it{std::move(rules), 1} {}

  server_effects user(user_id one, std::string text) {
    return it.user_sent(one, gateway_message(std::move(text)), now);
  }
  server_effects leaves(user_id one) { return it.user_disconnected(one, now); }
  server_effects server(std::string text, std::string_view concerns = {}) {
    return it.server_sent(gateway_message(std::move(text)), now, concerns);
  }
  server_effects lost(const std::string& why = "gone") { return it.server_lost(why, now); }
  server_effects after(std::chrono::nanoseconds time) { return it.tick(now += time); }

  /// Starts a server, and initializes users 1 to `users` by their request 0. Our first id is 1.
  server_driver& opened(user_id users = 1, const std::string& with = greeting) {
    for (user_id one = 1; one <= users; ++one)
      user(one, hello("0"));
    server(result("1", with));
    for (user_id one = 1; one <= users; ++one)
      user(one, initialized);
    return *this;
  }

  time_point now{1h};
  supervised_server it;
};

} // namespace troupe::tests

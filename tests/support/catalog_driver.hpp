#pragma once

#include "protocol/catalog/catalog.hpp"
#include "tests/support/session_driver.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

// Printers for failed comparisons of effects.
namespace troupe::protocol {

inline void PrintTo(const send_to_member& one, std::ostream* out) {
  *out << "tell " << one.server << ' ' << one.what.text;
}
inline void PrintTo(const send_to_client& one, std::ostream* out) { *out << "tell client " << one.what.text; }
inline void PrintTo(const member_known& one, std::ostream* out) { *out << "known " << one.server << ' ' << one.result; }
inline void PrintTo(const member_slow& one, std::ostream* out) { *out << "slow " << one.server; }
inline void PrintTo(const member_left& one, std::ostream* out) { *out << "left " << one.server; }
inline void PrintTo(const name_hidden& one, std::ostream* out) {
  *out << "hidden " << one.name << " of " << one.hidden << " by " << one.shown;
}
inline void PrintTo(const missing_part& one, std::ostream* out) {
  *out << one.server << ' ' << (one.list ? list_method(*one.list) : "all");
}
inline void PrintTo(const list_part_failed& one, std::ostream* out) {
  *out << "list_part_failed ";
  PrintTo(one.which, out);
  *out << ' ' << one.why;
}
inline void PrintTo(const list_part_recovered& one, std::ostream* out) {
  *out << "list_part_recovered ";
  PrintTo(one.which, out);
}
inline void PrintTo(const end_catalog& one, std::ostream* out) { *out << "end " << one.why; }

} // namespace troupe::protocol

namespace troupe::tests {

/// A server's result of `initialize` with these capabilities.
inline std::string can(std::string capabilities, std::string more = "") {
  return R"({"protocolVersion":"2025-11-25","capabilities":)" + capabilities + more + "}";
}

const std::string can_all = can(
    R"({"tools":{},"prompts":{},"resources":{"subscribe":true},"logging":{},"completions":{},"tasks":{},"experimental":{}})");

inline catalog_server configured(std::uint64_t id, std::string name, std::string known = can_all) {
  return {.id = id, .name = name, .prefix = name, .known = std::move(known)};
}

/// A server with unknown capabilities.
inline catalog_server fresh(std::uint64_t id, std::string name) { return configured(id, std::move(name), ""); }

inline send_to_client client(std::string text) { return {gateway_message(std::move(text))}; }
inline send_to_member to(std::uint64_t server, std::string text) { return {server, gateway_message(std::move(text))}; }

/// The catalog's own `initialize` under an id.
inline send_to_member greets(std::uint64_t server, std::string id) { return to(server, hello(std::move(id))); }
inline send_to_member initializes(std::uint64_t server) {
  return to(server, R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
}

/// The result of the client's `initialize`.
inline std::string presented(std::string capabilities, std::string more = "") {
  return R"({"protocolVersion":"2025-11-25","capabilities":)" + capabilities +
         R"(,"serverInfo":{"name":"troupe","version":"1.0"})" + more + "}";
}

const std::string presents_all =
    R"({"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"logging":{},"completions":{}})";

inline std::string changed(std::string group) {
  return R"({"jsonrpc":"2.0","method":"notifications/)" + group + R"(/list_changed"})";
}

/// An item with this name.
inline std::string named(std::string name, std::string more = "") { return R"({"name":")" + name + '"' + more + "}"; }
inline std::string at_uri(std::string uri) { return R"({"uri":")" + uri + "\"}"; }

/// Drives a catalog. Time passes only in `after`.
struct catalog_driver {
  explicit catalog_driver(std::vector<catalog_server> servers, catalog_limits limits = {.version = "1.0"},
                          cursor_seal seal = {})
      : it{std::move(limits), std::move(servers), std::move(seal)} {}

  catalog_effects says(std::string text) {
    return it.client_sent(std::get<message>(read_message(std::move(text))), now);
  }
  catalog_effects server(std::uint64_t id, std::string text) {
    return it.server_sent(id, std::get<message>(read_message(std::move(text))), now);
  }
  catalog_effects lost(std::uint64_t id, const std::string& why = "it crashed") { return it.server_lost(id, why, now); }
  catalog_effects lacks(std::uint64_t id, const std::string& what) { return it.server_lost(id, what, now, true); }
  catalog_effects change(std::vector<catalog_server> servers) { return it.servers_changed(std::move(servers), now); }
  catalog_effects after(std::chrono::nanoseconds time) { return it.tick(now += time); }

  /// Initializes the client's session. Servers with unknown capabilities were initialized under our ids from 1.
  catalog_driver& opened() {
    for (auto& one : says(hello("0")))
      if (auto told = std::get_if<send_to_member>(&one))
        server(told->server, result(told->what.id, can_all));
    says(initialized);
    return *this;
  }

  time_point now{1h};
  catalog it;
};

} // namespace troupe::tests

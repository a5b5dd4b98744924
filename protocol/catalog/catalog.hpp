#pragma once

#include "protocol/catalog/catalog_calls.hpp"
#include "protocol/catalog/catalog_effects.hpp"
#include "protocol/catalog/catalog_member.hpp"
#include "protocol/catalog/name_table.hpp"
#include "protocol/time.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// How long and how much a catalog may. The defaults are those of the gateway.
struct catalog_limits {
  /// A list goes out without the servers that take longer.
  std::chrono::milliseconds list_patience = std::chrono::seconds{5};
  /// The answer to `initialize` waits this long for servers of which nothing is known.
  std::chrono::milliseconds greet_patience = std::chrono::seconds{2};
  /// The client's requests in flight, and the servers' requests in flight.
  std::size_t calls = 1000;
  /// What waits for servers that are not initialised yet, in bytes.
  std::size_t waiting_bytes = 16 * 1024 * 1024;
  std::size_t questions = 256;
  /// The gateway's version.
  std::string version = {};
};

/// Many servers presented to one session as one: facts in, effects out. Above it is a session, below it are servers
/// each of which answers every request once. Names of tools and prompts, URIs of resources, ids and progress tokens are
/// mapped; all else is relayed as it came.
///
/// A server that the session does not use is sent nothing: the first message starts it, and that is `initialize`.
class catalog {
public:
  catalog(catalog_limits limits, std::vector<catalog_server> servers);

  // -- facts -----------------------------------------------------------------------
  catalog_effects client_sent(message from, time_point now);
  catalog_effects server_sent(std::uint64_t server, message from, time_point now);
  /// The server is gone; the next message to it starts it again.
  catalog_effects server_lost(std::uint64_t server, const std::string& why, time_point now);
  /// The configuration changed. A server that was changed comes under another id.
  catalog_effects servers_changed(std::vector<catalog_server> servers, time_point now);
  catalog_effects tick(time_point now);

  /// When `tick` has something to do.
  time_point deadline() const;

  // -- for who looks from outside
  std::size_t calls_in_flight() const { return calls_.size(); }
  /// Our own, of which a call may need several.
  std::size_t requests_in_flight() const { return asked_.size(); }
  std::size_t questions_in_flight() const { return questions_.size(); }

private:
  using effects = catalog_effects;
  using reason = member_call::reason;

  /// Whose a tool, a prompt or a resource is, and what the server calls it.
  struct target {
    catalog_member* server;
    std::string original;
  };

  // -- beginning (catalog_greeting.cpp)
  void begin(message from, time_point now, effects& out);
  void greet(catalog_member& one, effects& out);
  void take_greeting(catalog_member& one, const message& from, effects& out);
  void become_ready(catalog_member& one, effects& out);
  void refuse_greeting(catalog_member& one, std::string_view why, effects& out);
  void greet_new(effects& out);
  bool knows_all() const;
  void answer_begin(effects& out);
  std::string instructions() const;
  void set_level(message from, effects& out);
  void send_level(catalog_member& one, effects& out);

  // -- from the client (catalog.cpp)
  void take_request(message from, time_point now, effects& out);
  void route(message from, time_point now, effects& out);
  void pass_on(message from, effects& out);
  void take_notification(message from, effects& out);
  void cancel(const message& from, effects& out);

  // -- requests to servers (catalog_calls.cpp)
  std::uint64_t ask(catalog_member& to, message what, member_call how, effects& out);
  void call(catalog_member& to, message what, result_shape shape, effects& out);
  void withdraw(std::uint64_t own_id, const message& cancelled, effects& out);
  void take_answer(std::uint64_t own_id, message from, effects& out);
  void take_call_answer(const member_call& asked, message from, effects& out);
  void fail(std::uint64_t own_id, std::string_view why, effects& out);
  std::size_t waiting_bytes() const;
  bool somebody_starts() const;
  void remove(std::uint64_t server, effects& out);
  void let_go(std::uint64_t server, effects& out);
  void abandon(std::uint64_t server, const std::string& why, effects& out);
  void refuse(const message& request, int code, std::string_view why, effects& out) const;

  // -- lists (catalog_lists.cpp)
  void list(const message& from, list_kind kind, time_point now, effects& out);
  void ask_for_pages(const message& from, list_round round, const std::vector<server_cursor>& cursors, effects& out);
  std::optional<std::vector<server_cursor>> first_pages(list_kind kind, effects& out);
  void take_page(const member_call& asked, std::uint64_t own_id, message from, effects& out);
  void take_late_page(const member_call& asked, const message& from, effects& out);
  void finish_list(const std::string& client_id, effects& out);
  void leave_out(const list_part& part, list_kind kind, effects& out);
  std::string merged_items(const list_part& part, const list_round& round);
  std::string merged_item(const catalog_member& of, std::string_view item, const list_round& round);
  std::optional<std::string> merged_key(const catalog_member& of, std::string_view original, const list_round& round);
  static std::string_view next_cursor(std::string_view answer);
  static bool has_result(std::string_view answer);
  void announce(list_group group, effects& out) const;
  void announce_missing(catalog_member& one, effects& out) const;
  void take_announcement(catalog_member& one, list_group group, message from, effects& out);

  // -- names (catalog_names.cpp)
  void call_named(message from, list_kind kind, effects& out);
  void send_named(message from, const target& to, effects& out);
  std::optional<target> known_target(list_kind kind, std::string_view name);
  std::optional<target> target_by_prefix(std::string_view name);
  std::vector<std::uint64_t> who_may_have(list_kind kind, std::string_view name) const;
  void search_next(name_search search, effects& out);
  void search_page(name_search search, std::string_view cursor, effects& out);
  void take_search_page(const member_call& asked, const message& from, effects& out);
  void end_search(name_search search, effects& out);

  // -- resources (catalog_resources.cpp)
  void call_resource(message from, effects& out);
  std::optional<target> resource_target(std::string_view uri);
  std::string client_uri(const catalog_member& of, std::string_view original) const;
  void read_everywhere(const message& from, std::string uri, effects& out);
  void take_read_answer(const member_call& asked, message from, effects& out);
  message with_client_uris(const catalog_member& of, message from, result_shape shape) const;

  // -- from servers (catalog_server.cpp)
  void take_question(catalog_member& one, message from, effects& out);
  void take_member_notification(catalog_member& one, message from, effects& out);
  void take_progress(const catalog_member& one, message from, effects& out);
  void withdraw_question(const catalog_member& one, message from, effects& out);

  // -- members (catalog.cpp)
  catalog_member* find(std::uint64_t server);
  catalog_member* find_leaving_too(std::uint64_t server);
  const catalog_member* sole_unprefixed() const;
  name_table& names(list_kind kind) { return names_[kind == list_kind::prompts ? 1 : 0]; }

  catalog_limits limits_;
  std::vector<catalog_member> members_;
  /// Servers that were removed and are at a call.
  std::vector<catalog_member> leaving_;
  /// The client's `initialize`, which every server is sent.
  std::optional<message> hello_;
  bool answered_ = false;
  bool ended_ = false;
  time_point greet_until_ = time_point::max();
  /// What the client was told that its one server can.
  server_capabilities told_;
  /// The client's last `logging/setLevel`.
  std::optional<message> level_;
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, member_call> asked_;
  std::map<std::string, client_call> calls_;
  std::map<std::uint64_t, member_question> questions_;
  std::array<name_table, 2> names_;
};

} // namespace troupe::protocol

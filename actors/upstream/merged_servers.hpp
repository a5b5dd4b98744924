#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/upstream/lazy_upstream.hpp"
#include "protocol/catalog/catalog.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::actors {

/// Several servers merged into one, in the actor of the session that uses them: carries out what the machine decides,
/// and asks for each server when it is first used. The session is told by facts, which it takes when it has carried
/// out what it was at.
class merged_servers {
public:
  /// What the one server that they look like says to the session, or that it is lost.
  using told = std::variant<protocol::message, server_lost>;

  /// `session` is how logs call it, `caller` whose it is. `is_local` tells that the client is on this machine.
  merged_servers(pinned<session_actor>* self, registry_actor registry, std::string session, protocol::caller caller,
                 const protocol::catalog_limits& limits, const std::vector<member>& members, protocol::cursor_seal seal,
                 bool is_local);

  // -- what the session says
  void client_sent(protocol::message&& what) {
    asked_.reset();
    trace_ = what.trace;
    apply(machine_.client_sent(std::move(what), now()));
    trace_.reset();
  }
  /// The caller has come with other credentials.
  void asks(const protocol::caller& caller);
  /// It ends: no server is used any more.
  void drop();

  // -- what others tell the session
  void server_sent(protocol::message&& what);
  void given(server_given& msg);
  /// The server or upstream at an address is gone; nothing happens when it was none of these.
  void lost(const caf::actor_addr& who, const std::string& why, bool is_shortage = false);
  void change(const std::vector<member>& members);
  void tick() { apply(machine_.tick(now())); }

  /// The name of the server that the last message of the session went to; empty when it went to none, or to several.
  std::string_view last_told() const;
  /// See `protocol::catalog::calls_of`.
  std::vector<std::string> calls_of(const protocol::message& question) const { return machine_.calls_of(question); }

  // -- what follows
  /// The next that the session is told.
  std::optional<told> take();
  protocol::time_point deadline() const { return machine_.deadline(); }
  /// How many upstreams are of this session alone: a request for a report is passed on to these.
  std::size_t count_own() const;
  void report(const collector_actor& to) const;
  /// What is used of that server alone is begun again.
  void restart(std::uint64_t server) const;

private:
  void add(const member& one);
  caf::actor_addr sender() const { return caf::actor_cast<caf::actor_addr>(self_->current_sender()); }
  protocol::time_point now() const { return self_->at().now(); }

  void apply(protocol::catalog_effects effects);
  void apply(protocol::tell_member& effect);
  void apply(protocol::tell_client& effect);
  void apply(protocol::member_known& effect);
  void apply(protocol::member_slow& effect);
  void apply(protocol::member_left& effect);
  void apply(protocol::name_hidden& effect);
  void apply(protocol::list_part_failed& effect);
  void apply(protocol::list_part_recovered& effect);
  void apply(protocol::end_catalog& effect);

  pinned<session_actor>* self_;
  registry_actor registry_;
  std::string session_;
  protocol::caller caller_;
  bool is_local_;
  protocol::catalog machine_;
  std::map<std::uint64_t, lazy_upstream> upstreams_;
  /// As the registry was told.
  std::set<protocol::member_list> failed_lists_;
  /// Which server a message comes from: its SERVER, or the upstream that leads to it.
  std::map<caf::actor_addr, std::uint64_t> speakers_;
  std::deque<told> told_;
  /// The server that was told something last, since the session said something; and whether it was not the only one.
  std::optional<std::uint64_t> asked_;
  bool asks_several_ = false;
  /// Of what the session says, while it is carried out: servers are asked on behalf of that.
  std::shared_ptr<const protocol::request_trace> trace_;
  /// Answers to what a server was not sent, for once all effects are carried out.
  std::deque<std::pair<std::uint64_t, protocol::message>> refused_;
};

} // namespace troupe::actors

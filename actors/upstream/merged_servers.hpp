#pragma once

#include "actors/runtime/pinned.hpp"
#include "actors/session_messages.hpp"
#include "actors/upstream/lazy_upstream.hpp"
#include "actors/upstream_messages.hpp"
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

/// Several servers merged into one, inside the actor of their session. Carries out the decisions of the machine, and
/// requests each server on first use. Facts for the session are queued; the session takes them when its current work is
/// done.
class merged_servers {
public:
  /// Message of the merged server to the session, or its loss.
  using server_event = std::variant<protocol::message, server_lost>;

  /// `session` is its shortened id, as in logs; `caller` is its owner. `is_local` if the client is on this machine.
  merged_servers(pinned<session_actor>* self, registry_actor registry, std::string session, protocol::caller caller,
                 const protocol::catalog_limits& limits, const std::vector<member>& members, protocol::cursor_seal seal,
                 bool is_local);

  // -- facts of the session
  void client_sent(protocol::message&& what) {
    asked_.reset();
    trace_ = what.trace;
    carry_out(machine_.client_sent(std::move(what), now()));
    trace_.reset();
  }
  /// Sets new credentials of the caller.
  void asks(const protocol::caller& caller);
  /// Releases all servers: the session ends.
  void drop();

  // -- facts of other actors
  void server_sent(protocol::message&& what);
  void given(upstream_granted& msg);
  /// The server or upstream at an address is gone; ignored if the address is none of these.
  void lost(const caf::actor_addr& who, const std::string& why, bool is_shortage = false);
  void change(const std::vector<member>& members);
  void tick() { carry_out(machine_.tick(now())); }

  /// Name of the server that got the session's last message; empty if none or several did.
  std::string_view last_receiver() const;
  /// See `protocol::catalog::calls_of`.
  std::vector<std::string> calls_of(const protocol::message& question) const { return machine_.calls_of(question); }

  // -- results
  /// Returns the next fact for the session.
  std::optional<server_event> next();
  protocol::time_point deadline() const { return machine_.deadline(); }
  /// Number of upstreams of this session alone; requests for reports are passed on to these.
  std::size_t count_own() const;
  void report(const collector_actor& to) const;
  /// Restarts the session's own upstream to that server.
  void restart(std::uint64_t server) const;

private:
  void add(const member& one);
  caf::actor_addr sender() const { return caf::actor_cast<caf::actor_addr>(self_->current_sender()); }
  protocol::time_point now() const { return self_->at().now(); }

  void carry_out(protocol::catalog_effects effects);
  void perform(protocol::send_to_member& effect);
  void perform(protocol::send_to_client& effect);
  void perform(protocol::member_known& effect);
  void perform(protocol::member_slow& effect) { self_->send(registry_, server_known{effect.server, {}}); }
  void perform(protocol::member_left& effect);
  void perform(protocol::name_hidden& effect);
  void perform(protocol::list_part_failed& effect);
  void perform(protocol::list_part_recovered& effect);
  void perform(protocol::end_catalog& effect);

  pinned<session_actor>* self_;
  registry_actor registry_;
  std::string session_;
  protocol::caller caller_;
  bool is_local_;
  protocol::catalog machine_;
  std::map<std::uint64_t, lazy_upstream> upstreams_;
  /// Lists that were reported to the registry as failed.
  std::set<protocol::missing_part> failed_lists_;
  /// Servers by the senders of their messages: the SERVER, or the upstream that leads to it.
  std::map<caf::actor_addr, std::uint64_t> speakers_;
  std::deque<server_event> events_;
  /// Server that got the last message since the session's last fact, and whether it was not the only one.
  std::optional<std::uint64_t> asked_;
  bool asks_several_ = false;
  /// Trace of the session's message that is carried out now: requests to servers continue it.
  std::shared_ptr<const protocol::request_trace> trace_;
  /// Answers to refused requests, processed when all effects are carried out.
  std::deque<std::pair<std::uint64_t, protocol::message>> refused_;
};

} // namespace troupe::actors

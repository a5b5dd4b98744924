#pragma once

#include "actors/cluster/forwarded_requests.hpp"
#include "actors/cluster_messages.hpp"
#include "actors/cluster_state.hpp"
#include "actors/operator_messages.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/session_messages.hpp"
#include "protocol/cluster/request_routing.hpp"
#include "protocol/metrics/metric.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace troupe::actors {

/// Options and surroundings of a router.
struct router_setup {
  protocol::node_life self;
  protocol::sealed_session_ids ids;
  /// Store of sessions; null if sessions end with their node.
  store_actor store;
  /// Most sessions that this node restores in one second.
  std::size_t restores_a_second = 50;
  /// Times after which sessions of lost nodes are taken for over.
  protocol::lost_lives::limits of_lost = {};
  /// Returns the token of a caller, for servers that exchange it. May be empty.
  std::function<std::string(const protocol::caller& who)> token_of = {};
  /// Receives whether another node takes new sessions; may be null.
  std::shared_ptr<open_nodes> others = {};
};

/// ROUTER: forwards requests to the node that owns the session or lease, and new sessions if this node takes none.
/// Returns each answer to its broker. Fails pending requests if the node disconnects. `protocol::request_routing`
/// decides the target of a request.
class router_state {
public:
  using interface = router_actor;
  static constexpr const char* name = "router";

  router_state(pinned<interface>* self, registry_actor registry, router_setup setup);
  interface::behavior_type make_behavior();

private:
  template <class Message>
  waiting_request waiting(Message& msg) const;
  void find(waiting_request one);
  void find_lease(lease_lookup& msg);
  void pass_on(admin_request& msg);
  void follow(protocol::request_route to, waiting_request one);
  void perform(protocol::refuse_request& effect, const waiting_request& one);
  void perform(const protocol::forward_request& effect, waiting_request one);
  void perform(const protocol::await_nodes& effect, waiting_request one);
  void perform(const protocol::await_store& effect, waiting_request one);
  void perform(protocol::ask_store& effect, waiting_request one);
  void perform(const protocol::serve_here& effect, waiting_request one);

  void ask(const std::string& session, protocol::ask_store question);
  void ask_due();
  void on_time();
  void handle(session_found& msg);
  void perform(const protocol::restore_here& effect, session_found& msg, std::vector<waiting_request> waiting);
  void perform(const protocol::forward_all_waiting& effect, session_found& msg, std::vector<waiting_request> waiting);
  void perform(const protocol::ask_anew& effect, session_found& msg, std::vector<waiting_request> waiting);

  void handle(relay_answer& msg);
  void handle_refusal(relay_answer& msg, const protocol::forwarded_exchange& of);
  void ask_again(std::uint64_t number, const protocol::forwarded_exchange& of);
  void fail(std::uint64_t number);

  void change_members(cluster_members& msg);
  void route_early();
  void lose(std::uint64_t number, bool has_left);
  void probe(readiness_probe& msg);
  void report(const collector_actor& to);
  void handle(const node_drains& msg);
  void end_when_idle();
  void leave(const caf::error& why);
  void on_exit_of(const caf::exit_msg& msg);

  pinned<interface>* self_;
  registry_actor registry_;
  store_actor store_;
  std::function<std::string(const protocol::caller& who)> token_of_;
  std::shared_ptr<open_nodes> others_;
  protocol::request_routing routing_;
  reminder reminder_;
  forwarded_requests<interface> forwarded_;
  /// 1 while the cluster keeps this node unready.
  protocol::metric_share unready_;
  /// Nodes that announced their exit and still are members.
  std::set<protocol::node_life> left_;
  /// Members by name.
  std::map<std::string, protocol::node_life> names_;
  /// Requests that wait for other nodes.
  std::vector<waiting_request> early_;
  std::vector<lease_lookup> early_leases_;
  /// Requests that wait for the store, by session.
  std::map<std::string, std::vector<waiting_request>> sought_;
};

using router = actor_of<router_state>;

} // namespace troupe::actors

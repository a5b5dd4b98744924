#pragma once

#include "tests/simulation/cluster_actor.hpp"
#include "tests/simulation/exchange.hpp"
#include "tests/simulation/forwarded_requests.hpp"

#include "protocol/cluster/request_routing.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe::tests::simulation {

/// Mirrors `actors/cluster/router.cpp`: runs `request_routing`, holds the requests that
/// wait for the store or for other nodes, and passes the answers of other nodes to their brokers. Operators are left
/// out.
class router_actor final : public actor {
public:
  router_actor(std::shared_ptr<process> at, node& of, network& net, sealed_session_ids ids, bool has_store,
               lost_lives::limits of_lost);

  // -- from the registry and the session
  void submit(request what);
  // -- from other nodes
  void answered(std::uint64_t number, answer what);
  // -- from the registry
  void drains(bool is_last, bool at_once);
  /// Ends with the registry.
  void stop();
  // -- from the cluster actor and the store
  void node_left(node_life which);
  void members(cluster_members all);
  void found(search_outcome what, std::uint64_t term);

  bool is_ready() const { return routing_.is_ready(); }
  std::size_t pending() const { return forwarded_.size() + early_.size() + sought_.size(); }

private:
  using requests = std::vector<request>;

  void tick() override;
  // -- routing
  void find(request one);
  request_route route(const request& one);
  void follow(request_route to, request one);
  void perform(refuse_request& effect, request one);
  void perform(const forward_request& effect, request one);
  void perform(const await_nodes&, request one);
  void perform(const await_store&, request one);
  void perform(const ask_store& effect, request one);
  void perform(const serve_here&, request one);
  void ask(const std::string& session, ask_store question);
  void ask_due();
  void route_early();
  void handle(search_outcome& what, std::uint64_t term);
  void perform(const restore_here&, search_outcome& what, std::uint64_t term, requests waiting);
  void perform(const forward_all_waiting& effect, search_outcome& what, std::uint64_t, requests waiting);
  void perform(const ask_anew&, search_outcome&, std::uint64_t, requests waiting);

  // -- forwarded requests
  void pass_on(node_life to, request what, bool may_move);
  void handle(std::uint64_t number, answer& what);
  void handle_refusal(std::uint64_t number, answer& what);
  void ask_again(std::uint64_t number);
  void fail(std::uint64_t number);
  void change_members(cluster_members& all);
  void lose(std::uint64_t number, bool has_left);

  // -- the end
  void drain_now(bool is_last, bool at_once);
  void end_when_idle();
  void leave();

  node& node_;
  network& net_;
  request_routing routing_;
  std::map<node_life, std::shared_ptr<link_end>> gates_;
  /// Nodes that announced their end and still are members.
  std::set<node_life> left_;
  forwarded_requests forwarded_;
  requests early_;
  std::map<std::string, requests> sought_;
};

} // namespace troupe::tests::simulation

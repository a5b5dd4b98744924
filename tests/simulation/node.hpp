#pragma once

#include "tests/simulation/client.hpp"
#include "tests/simulation/cluster_actor.hpp"
#include "tests/simulation/gate_actor.hpp"
#include "tests/simulation/planted.hpp"
#include "tests/simulation/registry_actor.hpp"
#include "tests/simulation/router_actor.hpp"
#include "tests/simulation/stop_actor.hpp"
#include "tests/simulation/store_actor.hpp"
#include "tests/simulation/upgrade_actor.hpp"

#include "protocol/modern_client/request_state.hpp"
#include "protocol/session/gateway_drain.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::tests::simulation {

/// Surroundings that the nodes of a simulation share.
struct surroundings {
  scheduler& time;
  history& log;
  model& checks;
  network& net;
  /// Null without a store.
  redis_server* store = nullptr;
  std::chrono::milliseconds heartbeat = 2s;
  server_habits servers = {};
  planted wrong = planted::nothing;
};

/// Stands for the file of a host with the addresses of members; empty before the first start.
using members_kept = std::optional<std::vector<std::string>>;

/// Address of the node on a host, for other nodes.
std::string address_of_host(std::size_t host);
/// Host of a node with that life.
std::size_t host_of(node_life life);

/// Run of a gateway that is a node of a cluster: its actors, wired as by `cluster_setup.cpp` and the registry of
/// the product.
class node : public std::enable_shared_from_this<node> {
public:
  node(const surroundings& around, std::size_t host, std::uint64_t incarnation, double speed,
       std::vector<std::string> seeds, members_kept* memory);

  void begin();
  /// Begins as the gateway of no cluster, which hands over to newer processes of its host.
  void begin_alone(process_host& host);
  /// Ends the process at once. After a `silent` end nobody closes its connections.
  void kill(bool silent);
  /// Stops everything for that long.
  void pause(span_of_time how_long);
  /// Suspends the node's machine for that long.
  void suspend(span_of_time how_long);
  /// Tells the node to stop within a time, and calls `then` when it has.
  void stop(span_of_time grace, std::function<void()> then);
  /// A request of a client, see `request_intake.cpp`.
  void receive(request what, const std::shared_ptr<connection>& by);

  // -- from the other ends of links
  /// Another node answers a request, over a link with this end.
  void answered(std::uint64_t number, answer what, const std::shared_ptr<link_end>& by);
  void heard(peer_sign what, const std::shared_ptr<link_end>& by);
  void closed(const std::shared_ptr<link_end>& end);

  // -- load balancers and the stop
  /// Whether the node is ready, for a load balancer that asks now and then.
  bool answers_probe();
  readiness_watch& probes() { return probes_; }
  bool accepts() const { return upgrade_ ? upgrade_->accepts() : accepts_; }
  void close_listener() { accepts_ = false; }
  /// Time of the last request of a client.
  time_point last_request() const { return last_request_; }
  /// Whether a request that came before a time is not answered.
  bool is_answering_since(time_point when) const;

  stop_actor& stopping() { return *stopping_; }
  bool is_stopping() const { return is_stopping_; }
  void remember(std::vector<std::string> members) { *memory_ = std::move(members); }
  cluster_actor& cluster() { return *cluster_; }
  gate_actor& gate() { return upgrade_ ? upgrade_->peer()->gate() : *gate_; }
  router_actor& router() { return *router_; }
  registry_actor& registry() { return *registry_; }
  /// Whether it is a node of no cluster.
  bool is_alone() const { return upgrade_ != nullptr; }
  /// Only of a process that is alone.
  upgrade_actor& upgrade() { return *upgrade_; }
  /// Null without a store.
  store_actor* store() { return store_.get(); }
  std::shared_ptr<actors::tenure> tenure() { return store_ ? store_->ours() : nullptr; }
  model& checks() { return around_.checks; }
  bool has(planted what) const { return around_.wrong == what; }
  const server_habits& habits() const { return around_.servers; }

  node_life life() const { return card_.life; }
  const node_card& card() const { return card_; }
  std::size_t host() const { return host_; }
  time_point paused_until() const { return process_->paused_until; }
  bool is_paused() const { return process_->is_paused(); }
  bool is_alive() const { return process_->is_alive; }
  /// Time by the steady clock of the node.
  time_point now() const { return process_->now(); }
  std::string make_id();
  /// Seals for a caller: those of a cluster are the same at each node, those of one process are its own.
  state_seal seal_for(const std::string& owner) const;

  // -- the sessions that brokers find without the registry
  void add_session(const std::string& id, std::weak_ptr<session_actor> one) { table_[id] = std::move(one); }
  void remove_session(const std::string& id, const session_actor* one);

private:
  surroundings around_;
  std::size_t host_;
  node_card card_;
  std::shared_ptr<process> process_;
  sealed_session_ids ids_;
  std::vector<std::string> seeds_;
  /// Null unless nodes remember their members.
  members_kept* memory_;
  std::shared_ptr<store_actor> store_;
  std::shared_ptr<cluster_actor> cluster_;
  std::shared_ptr<gate_actor> gate_;
  std::shared_ptr<router_actor> router_;
  std::shared_ptr<registry_actor> registry_;
  std::map<std::string, std::weak_ptr<session_actor>> table_;
  struct open_connection {
    time_point since;
    std::weak_ptr<connection> which;
  };
  std::vector<open_connection> connections_;
  std::shared_ptr<stop_actor> stopping_;
  std::shared_ptr<upgrade_actor> upgrade_;
  readiness_watch probes_;
  time_point last_request_ = {};
  bool accepts_ = true;
  bool is_stopping_ = false;
};

} // namespace troupe::tests::simulation

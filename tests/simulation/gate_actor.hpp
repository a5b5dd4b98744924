#pragma once

#include "tests/simulation/cluster_actor.hpp"
#include "tests/simulation/exchange.hpp"
#include "tests/simulation/model.hpp"

#include "protocol/cluster/forwarded_exchange.hpp"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace troupe::tests::simulation {

/// RELAY of `actors/cluster/gate.cpp`: the broker of an exchange whose connection is at another node.
class relay final : public broker {
public:
  relay(std::shared_ptr<process> at, network& net, std::shared_ptr<link_end> to, std::uint64_t exchange, model& checks,
        const request& what);
  ~relay() override;

  void held(bool is_so) override {
    post([this, is_so] { is_held_ = is_so; });
  }
  void taken(std::size_t bytes) { unread_.taken(bytes); }
  void closed();
  /// Ends, as its node is lost: that fails the request itself, unless it was silent only.
  void end();

private:
  void handle(answer& what) override;
  void send(answer what);
  void fail();

  network& net_;
  std::shared_ptr<link_end> to_;
  std::uint64_t exchange_;
  model& checks_;
  /// Tokens of the calls of the request.
  std::vector<std::string> calls_;
  rejection unheld_;
  bool is_held_ = false;
  bool is_finished_ = false;
  unacknowledged_events unread_;
};

/// Mirrors `actors/cluster/gate.cpp`: takes requests of other nodes for sessions of this node.
class gate_actor final : public actor {
public:
  /// `ended` is called when it ends: normally, or with relays that were not answered.
  gate_actor(std::shared_ptr<process> at, node& of, network& net, std::function<void(bool is_normal)> ended)
      : actor{std::move(at)}, node_{of}, net_{net}, ended_{std::move(ended)} {}

  // -- from other nodes
  void greeted(const node_hello& hello, const std::shared_ptr<link_end>& by);
  void receive(node_life from, std::uint64_t exchange, request what, const std::shared_ptr<link_end>& by);
  void taken(node_life from, std::uint64_t exchange, std::size_t bytes);
  void closed(node_life from, std::uint64_t exchange);
  void session_taken(const std::string& session);
  // -- from the registry
  /// Refuses all requests: this node has no sessions left.
  void close();
  // -- from the cluster actor
  /// Ends after its relays; at once if called again.
  void leave();
  void members(cluster_members now);

  std::size_t relays() const { return relays_.size(); }

private:
  using exchange = std::pair<node_life, std::uint64_t>;

  void serve(const exchange& which, request what, const std::shared_ptr<link_end>& by);
  void change_members(cluster_members& now);
  template <class Test>
  void close_if(Test is_lost);
  void forget(const exchange& which);
  void leave_now();
  void end(bool is_normal);

  node& node_;
  network& net_;
  std::function<void(bool is_normal)> ended_;
  std::map<node_life, std::shared_ptr<link_end>> routers_;
  /// Nodes among them that have greeted this one, and are not members yet.
  std::set<node_life> early_;
  std::map<exchange, std::weak_ptr<relay>> relays_;
  bool leaves_ = false;
  bool is_closed_ = false;
};

} // namespace troupe::tests::simulation

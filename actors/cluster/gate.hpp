#pragma once

#include "actors/cluster_messages.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/session_messages.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace troupe::actors {

/// GATE: receives requests of other nodes for sessions of this node, and owns a RELAY for each until it is answered.
/// The only published actor of a node: other nodes see its exit after all messages of its relays.
class gate_state {
public:
  using interface = local_gate_actor;
  static constexpr const char* name = "gate";
  /// Limit of nodes that have greeted this one and are not members yet.
  static constexpr std::size_t most_early = 1000;

  /// Receives the tokens that callers have sent to other nodes.
  using token_keeper = std::function<void(const protocol::caller& who, const std::string& token)>;

  /// Relays use the units in turn. The gate exits with `owner`. `cluster` receives the greetings of other nodes; null
  /// where there are none. `keep_token` may be empty.
  gate_state(pinned<interface>* self, caf::actor_addr owner, cluster_actor cluster, registry_actor registry,
             std::vector<unit*> units, token_keeper keep_token = {});
  interface::behavior_type make_behavior();

private:
  using exchange = std::pair<protocol::node_life, std::uint64_t>;

  void greet(const peer_hello& msg);
  void handle(relay_request& msg);
  void reject(std::uint64_t exchange, protocol::rejection why);
  template <class Word>
  void tell(const exchange& which, Word word);
  template <class Word>
  void close(const exchange& which, Word last);
  void forget(const exchange& which);
  void change_members(cluster_members& msg);
  template <class Test>
  void close_if(Test is_lost);
  void on_down_of(const caf::down_msg& msg);
  void report(const collector_actor& to);
  void on_exit_of(const caf::exit_msg& msg);
  void leave(const caf::error& why);

  pinned<interface>* self_;
  caf::actor_addr owner_;
  cluster_actor cluster_;
  registry_actor registry_;
  std::vector<unit*> units_;
  token_keeper keep_token_;
  std::size_t next_unit_ = 0;
  bool leaves_ = false;
  /// True once requests of other nodes are refused, as this node has no sessions left.
  bool is_closed_ = false;
  /// Actors that receive the answers, by node.
  std::map<protocol::node_life, remote_router_actor> routers_;
  /// Nodes among them that have greeted this one, and are not members yet.
  std::set<protocol::node_life> early_;
  /// Weak addresses: a relay that nobody can answer any more is reclaimed, and reports that.
  std::map<exchange, caf::actor_addr> relays_;
  std::map<caf::actor_addr, exchange> exchanges_;
};

} // namespace troupe::actors

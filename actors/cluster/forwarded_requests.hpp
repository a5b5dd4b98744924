#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/pinned.hpp"
#include "protocol/byte_budget.hpp"
#include "protocol/cluster/forwarded_exchange.hpp"
#include "protocol/cluster/node_identity.hpp"
#include "protocol/metrics/metric.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::actors {

/// Whether a node is lost to whom `before` had the actors of nodes, and `now` has them: it is gone, or back already
/// with actors that know nothing of what was asked before.
template <class Actor>
bool is_lost(protocol::node_life node, const std::map<protocol::node_life, Actor>& before,
             const std::map<protocol::node_life, Actor>& now) {
  auto had = before.find(node);
  auto has = now.find(node);
  return had == before.end() || has == now.end() || had->second != has->second;
}

/// The part of an actor that passes requests on to other nodes, a ROUTER's say, which has their gates, and the brokers
/// of the requests that went there until these are answered. What another node says of a request goes to its broker;
/// when a broker ends first, the node hears that.
template <class Router>
class forwarded_requests {
public:
  using gates = std::map<protocol::node_life, gate_actor>;

  /// `self` is the actor, on the node `here`.
  forwarded_requests(pinned<Router>* self, protocol::node_life here) : self_{self}, here_{here} {}

  /// Passes a request on to a node. A copy is kept until that says something, if the request `may_move` to another
  /// and there is room for the copy.
  void pass_on(protocol::node_life to, waiting_request one, bool may_move);
  /// The request of that number; nothing when it was answered.
  const protocol::forwarded_exchange* find(std::uint64_t number) const;
  /// Whether it is an operator's, and not a client's.
  bool is_operators(std::uint64_t number) const { return exchanges_.at(number).is_operators; }
  bool has_copy(std::uint64_t number) const { return exchanges_.at(number).copy.has_value(); }
  /// The copy, with its broker; the request is forgotten here.
  waiting_request take_back(std::uint64_t number);

  /// What a node says of a request that is here, unless it refuses it, or is lost to it.
  void take(relay_answer& msg);
  void refuse(std::uint64_t number, protocol::rejection why) { finish(number, http_rejected{std::move(why)}); }
  /// No answer comes any more: see `protocol::forwarded_exchange::fail`.
  void fail(std::uint64_t number, std::string_view why, protocol::rejection otherwise);
  void fail_all(std::string_view why, const protocol::rejection& otherwise);
  /// Sends the clients away that listen by way of this node.
  void end_listening();
  /// A broker has ended; false when it was none of these.
  bool on_exit_of(const caf::actor_addr& broker);

  /// Tells the other nodes.
  void tell_all(const session_taken& what);
  /// The gates of the other nodes from now on. Returns the requests whose node is lost.
  std::vector<std::uint64_t> members(gates now);
  std::size_t size() const { return exchanges_.size(); }
  bool has_calls() const;

private:
  struct second_try {
    relay_request what;
    protocol::byte_budget::share room;
  };
  struct one {
    protocol::forwarded_exchange exchange;
    broker_actor broker;
    std::optional<second_try> copy;
    protocol::metric_share counted;
    bool is_operators = false;
  };

  std::optional<second_try> copy_of(const relay_request& what);
  void publish(std::uint64_t number, one& of, std::string text);
  template <class Answer>
  void finish(std::uint64_t number, Answer answer);
  void fail_with(std::uint64_t number, protocol::end_of_stream& rest);
  void fail_with(std::uint64_t number, std::string& answer) { finish(number, http_reply{std::move(answer), {}}); }
  void fail_with(std::uint64_t number, protocol::rejection& why) { refuse(number, std::move(why)); }
  template <class Condition>
  std::vector<std::uint64_t> numbers(Condition which) const;
  void tell_closed(protocol::node_life node, std::uint64_t number);

  pinned<Router>* self_;
  protocol::node_life here_;
  gates gates_;
  std::uint64_t last_number_ = 0;
  /// For copies of requests: what finds no room is not asked again.
  protocol::byte_budget copies_{16 * 1024 * 1024};
  std::map<std::uint64_t, one> exchanges_;
  std::map<caf::actor_addr, std::uint64_t> brokers_;
};

} // namespace troupe::actors

#pragma once

#include "actors/cluster_messages.hpp"
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

/// True if a node disconnected between `before` and `now`, the actors of nodes then and now. A node that is back has
/// new actors, which know nothing of earlier requests.
template <class Actor>
bool is_lost(protocol::node_life node, const std::map<protocol::node_life, Actor>& before,
             const std::map<protocol::node_life, Actor>& now) {
  auto had = before.find(node);
  auto has = now.find(node);
  return had == before.end() || has == now.end() || had->second != has->second;
}

/// Requests that an actor such as ROUTER has forwarded to other nodes, with their brokers and the gates of the nodes.
/// Passes each answer to its broker. When a broker exits first, notifies the node.
template <class Router>
class forwarded_requests {
public:
  using gates = std::map<protocol::node_life, gate_actor>;

  /// `self` is the actor, on node `here`.
  forwarded_requests(pinned<Router>* self, protocol::node_life here) : self_{self}, here_{here} {}

  /// Forwards a request to a node. If the request `may_move` to another node and there is room, keeps a copy until the
  /// node answers.
  void pass_on(protocol::node_life to, waiting_request one, bool may_move);
  /// Returns the request of that number; null once it is answered.
  const protocol::forwarded_exchange* find(std::uint64_t number) const;
  /// True if the request is an operator's and not a client's.
  bool is_operators(std::uint64_t number) const { return exchanges_.at(number).is_operators; }
  bool has_copy(std::uint64_t number) const { return exchanges_.at(number).copy.has_value(); }
  /// Removes a request and returns its copy and broker.
  waiting_request take_back(std::uint64_t number);

  /// Passes an answer of a node to the broker. A part that cannot follow those before fails the request. Refusals and
  /// `lost` are left to the caller.
  void receive_answer(relay_answer& msg);
  void refuse(std::uint64_t number, protocol::rejection why) { finish(number, http_rejected{std::move(why)}); }
  /// Ends a request without its answer: see `protocol::forwarded_exchange::fail`.
  void fail(std::uint64_t number, std::string_view why, protocol::rejection otherwise);
  void fail_all(std::string_view why, const protocol::rejection& otherwise);
  /// Ends a request that no session answers any more: see `protocol::forwarded_exchange::end`.
  void end(std::uint64_t number) { finish_with(number, exchanges_.at(number).exchange.end()); }
  void end_all();
  /// Ends the streams of clients that only listen.
  void end_listening();
  /// Handles the exit of a broker; false if it is none of these.
  bool on_exit_of(const caf::actor_addr& broker);

  /// Notifies all other nodes.
  void tell_all(const session_taken& what);
  /// Replaces the gates of the other nodes. Returns the requests whose node has disconnected.
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
    protocol::request_source came;
    std::optional<second_try> copy;
    protocol::metric_share counted;
    bool is_operators = false;
  };

  std::optional<second_try> copy_of(const relay_request& what);
  void publish(std::uint64_t number, one& of, std::string text);
  template <class Answer>
  void finish(std::uint64_t number, Answer answer);
  void finish_with(std::uint64_t number, protocol::failed_answer answer);
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
  /// Memory for copies of requests. A request that finds no room is not retried.
  protocol::byte_budget copies_{16 * 1024 * 1024};
  std::map<std::uint64_t, one> exchanges_;
  std::map<caf::actor_addr, std::uint64_t> brokers_;
};

} // namespace troupe::actors

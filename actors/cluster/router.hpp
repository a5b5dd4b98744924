#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/pinned.hpp"
#include "protocol/byte_budget.hpp"
#include "protocol/cluster/lost_exchange.hpp"
#include "protocol/cluster/session_routes.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::actors {

/// What a router knows of its node.
struct router_setup {
  protocol::node_life self;
  protocol::owned_ids ids;
  /// None when sessions end with their node.
  store_actor store;
};

/// ROUTER: finds the node of a session that is not here, or one for a session that is not to begin here, passes
/// requests on, and gives the answers to the brokers that it holds meanwhile. Fails what awaits an answer when the node
/// is lost.
class router_state {
public:
  using interface = router_actor;
  static constexpr const char* name = "router";

  router_state(pinned<interface>* self, registry_actor registry, router_setup setup);
  interface::behavior_type make_behavior();

private:
  /// A copy of what was asked.
  struct second_try {
    relay_request what;
    protocol::byte_budget::share room;
  };
  /// One that another node answers.
  struct passed_on {
    protocol::node_life to;
    std::string session;
    broker_actor broker;
    protocol::lost_exchange awaited;
    /// There until the owner says something, for one that may be asked again of whoever the store says.
    std::optional<second_try> again;
    /// A GET: nothing is lost when it ends early.
    bool listens = false;
    bool streams = false;
    /// Bytes of events that the other node has not heard of.
    std::size_t untold = 0;
  };
  using exchanges = std::map<std::uint64_t, passed_on>;

  void find(waiting_request one);
  void begin_elsewhere(waiting_request one);
  void seek(waiting_request one, protocol::node_life except = {});
  void seek_instead(std::uint64_t number);
  void ask_store(const std::string& session, protocol::node_life except);
  void pass_on(protocol::node_life to, waiting_request one);
  void refuse(const waiting_request& one, protocol::rejection why);
  protocol::rejection gone() const;
  void take(session_found& msg);
  void take(relay_answer& msg);
  void take_refusal(std::uint64_t number, const passed_on& one, protocol::rejection why);
  void publish(std::uint64_t number, passed_on& one, std::string text);
  template <class Answer>
  void finish(std::uint64_t number, Answer answer);
  void change_members(members_of_cluster& msg);
  void lose(std::uint64_t number, std::string_view why = protocol::lost_exchange::node_lost);
  void tell_closed(protocol::node_life node, std::uint64_t number);
  void take(const node_drains& msg);
  void end_listening();
  void end_when_idle();
  void leave(const caf::error& why);
  void probe(const prober_actor& to);
  void report(const collector_actor& to);
  void on_exit_of(const caf::exit_msg& msg);

  pinned<interface>* self_;
  registry_actor registry_;
  router_setup setup_;
  protocol::session_routes routes_;
  std::map<protocol::node_life, gate_actor> gates_;
  std::uint64_t last_exchange_ = 0;
  /// For copies of requests: what finds no room is not asked again.
  protocol::byte_budget copies_{16 * 1024 * 1024};
  exchanges exchanges_;
  std::map<caf::actor_addr, std::uint64_t> brokers_;
  /// What waits for the store, by session.
  std::map<std::string, std::vector<waiting_request>> sought_;
  std::size_t seeking_ = 0;
  bool draining_ = false;
  /// Ends when nothing awaits an answer.
  bool is_last_ = false;
};

using router = actor_of<router_state>;

} // namespace troupe::actors

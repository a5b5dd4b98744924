#pragma once

#include "actors/lease.hpp"
#include "actors/messages.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/session/gateway_servers.hpp"
#include "actors/session/session.hpp"
#include "protocol/session/session_admission.hpp"
#include "protocol/session/session_place.hpp"
#include "protocol/session/state_report.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace troupe::actors {

/// What makes a gateway a node of a cluster. The registry owns the actors.
struct cluster_parts {
  router_actor router;
  cluster_actor cluster;
  /// What keeps sessions that are to survive this node, and how long they are surely ours; null without.
  store_actor store = {};
  std::shared_ptr<const actors::lease> lease = {};
};

/// What the registry needs of its gateway.
struct registry_setup {
  std::size_t max_sessions = 10'000;
  /// Where sessions live; outlives the registry.
  std::vector<unit*> units;
  std::shared_ptr<const session_setup> session;
  /// Whether the path of all servers merges them even when there is one.
  bool merge = false;
  /// Makes a session id that cannot be guessed.
  std::function<std::string()> make_id;
  gateway_servers::setup_of make_server;
  /// Counts those who serve an exchange.
  std::shared_ptr<const live_count> brokers = std::make_shared<live_count>();
  /// Callable from any thread, also after the registry's end.
  std::function<protocol::client_totals()> clients = [] { return protocol::client_totals{}; };
  /// Joins the cluster; none when there is none.
  std::function<cluster_parts(registry_actor)> join_cluster;
};

/// REGISTRY: knows the session of every id and every server, owns them all, and forgets each by its end.
class registry_state {
public:
  using interface = registry_actor;
  static constexpr const char* name = "registry";

  registry_state(pinned<interface>* self, registry_setup setup);
  interface::behavior_type make_behavior();

private:
  struct known_session {
    session_actor session;
    protocol::session_place place;
    /// Whether this node still owns the record in the store; empty when it always does.
    std::function<bool(protocol::time_point)> holds_lease = {};
  };

  // -- sessions
  void take(client_post& msg);
  void take(client_listen& msg);
  template <class Message>
  void begin_session(Message& msg, const std::string& request, protocol::transport via);
  const session_actor& begin(new_session what, std::size_t unit);
  void restore(restore_session& msg);
  std::optional<protocol::rejection> begin_again(restore_session& msg);
  void keep(new_session& what, std::uint64_t since) const;
  std::uint64_t lease_term() const { return cluster_.lease ? cluster_.lease->term() : 0; }
  bool holds_lease(std::uint64_t since) const;
  template <class Message>
  void pass_on(Message& msg, protocol::transport via);
  new_session new_session_at(const std::string& path, protocol::transport via) const;

  // -- other nodes
  void join_cluster();
  bool is_of_cluster(const caf::actor_addr& who) const;
  template <class Message>
  void look_elsewhere(Message& msg);

  // -- servers
  void change_servers(std::vector<server_options> wanted);
  void replace_server(const caf::actor_addr& gone);
  void tell_members();
  void retire(const gateway_server& gone);
  const gateway_server* server_at(const std::string& path) const;

  void probe(readiness_probe& msg);
  void begin_drain(const drain& msg);
  void move_listeners();
  void disown(const lease_lost& what);
  bool may_be_lost(const known_session& one) const;
  void collect(broker_actor to);
  void on_exit_of(const caf::exit_msg& msg);
  void end_when_drained();

  pinned<interface>* self_;
  registry_setup setup_;
  protocol::session_admission admission_;
  gateway_servers servers_;
  std::size_t next_unit_ = 0;
  std::unordered_map<std::string, known_session> sessions_;
  /// The id of each session, where `sessions_` has it.
  std::map<caf::actor_addr, const std::string*> ids_;
  cluster_parts cluster_;
};

using registry = actor_of<registry_state>;

} // namespace troupe::actors

#pragma once

#include "actors/lease.hpp"
#include "actors/messages.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/session/session.hpp"
#include "actors/upstream/configured_server.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
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

/// What the registry knows of its gateway.
struct registry_setup {
  std::size_t max_sessions = 10'000;
  /// Where sessions live; outlives the registry.
  std::vector<unit*> units;
  std::shared_ptr<const session_setup> session;
  /// Whether the path of all servers merges them even when there is one.
  bool merge = false;
  /// Makes an id that nobody can guess.
  std::function<std::string()> make_id;
  /// Says how a configured server is run.
  std::function<std::shared_ptr<const server_setup>(const server_options&)> make_server;
  /// Counts those who serve an exchange.
  std::shared_ptr<const population> brokers = std::make_shared<population>();
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
    protocol::transport via;
    std::string path;
    /// The one server that it speaks to; 0 when it is for those that are merged.
    std::uint64_t server = 0;
    /// Whether what the store keeps of it is ours; none when that is sure.
    std::function<bool(protocol::time_point)> holds_lease = {};
  };
  struct known_server {
    server_options options;
    std::chrono::milliseconds request;
    member as_member;
  };

  // -- sessions
  void take(client_post& msg);
  void take(client_listen& msg);
  template <class Message>
  void begin_session(Message& msg, const std::string& request, protocol::transport via);
  const session_actor& begin(session_purpose purpose, std::size_t unit);
  void restore(restore_session& msg);
  std::optional<protocol::rejection> begin_again(restore_session& msg);
  void keep(session_purpose& purpose, std::uint64_t since) const;
  std::uint64_t lease_term() const { return cluster_.lease ? cluster_.lease->term() : 0; }
  bool is_kept(const std::string& path) const;
  template <class Message>
  void pass_on(Message& msg, protocol::transport via);
  std::optional<protocol::rejection> refuse_session(const std::string& path, const std::string& request) const;
  session_purpose purpose_of(const std::string& path, protocol::transport via) const;
  bool merges() const { return setup_.merge || servers_.size() != 1; }

  // -- other nodes
  void join_cluster();
  bool is_of_cluster(const caf::actor_addr& who) const;
  template <class Message>
  void look_elsewhere(Message& msg);

  // -- servers
  void change_servers(std::vector<server_options> wanted);
  known_server begin_server(server_options options);
  void remember(server_known&& what);
  void replace_server(const caf::actor_addr& gone);
  void tell_members();
  void retire(const known_server& one);
  const known_server* server_named(const std::string& path) const;
  std::vector<member> members() const;

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
  bool draining_ = false;
  bool is_hurried_ = false;
  std::size_t next_unit_ = 0;
  std::uint64_t last_server_ = 0;
  std::vector<known_server> servers_;
  std::unordered_map<std::string, known_session> sessions_;
  /// The id of each session, where `sessions_` has it.
  std::map<caf::actor_addr, const std::string*> ids_;
  cluster_parts cluster_;
};

using registry = actor_of<registry_state>;

} // namespace troupe::actors

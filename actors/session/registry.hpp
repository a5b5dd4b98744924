#pragma once

#include "actors/session/admission_queue.hpp"
#include "actors/session/lease_keys.hpp"
#include "actors/session/operator_requests.hpp"
#include "actors/session/registry_parts.hpp"
#include "actors/session/server_changes.hpp"
#include "actors/session/session_drain.hpp"
#include "actors/session/session_ownership.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace troupe::actors {

/// REGISTRY: table of all sessions by id, and of all servers. Owns them, and removes each when it ends. Hands every
/// message on to a session, or to the class whose state it changes.
class registry_state {
public:
  using interface = reminded_registry_actor;
  static constexpr const char* name = "registry";

  registry_state(pinned<interface>* self, registry_setup setup);
  interface::behavior_type make_behavior();

private:
  // -- sessions
  void handle(client_post& msg);
  void handle(client_listen& msg);
  template <class Message>
  void begin_session(Message& msg);
  const session_actor& begin(new_session what, std::size_t unit, const std::string& address);
  new_session new_session_at(const std::string& path, protocol::transport via, protocol::caller who,
                             bool is_local) const;
  template <class Message>
  void pass_on(Message& msg);
  void handle(session_decided& msg);
  void notify_revoked(const callers_revoked& msg);
  void let_go(const session_let_go& what);
  void search(session_search& msg);
  void restore(restore_session& msg);
  std::optional<protocol::rejection> begin_again(restore_session& msg);

  // -- leases
  void handle_stateless(client_post& msg);
  void find_lease(client_post& msg);
  void pass_to_lease(client_post& msg);
  void find_named_lease(client_post& msg);
  void refuse_state(const client_post& msg);
  void begin_lease(client_post& msg, std::optional<protocol::lease_key> key);
  new_session new_lease_for(const client_post& msg, std::optional<protocol::lease_key> key) const;

  // -- other nodes, and the other process of a handover
  void join_cluster();
  bool is_of_cluster(const caf::actor_addr& who) const;
  template <class Message>
  void forward_elsewhere(Message& msg);
  void handle(handover_peer_known& msg);
  bool lose_other(const caf::actor_addr& gone);
  /// True if new sessions and leases begin at the other process. That process forwards only requests that name a
  /// session or a lease: one without is a client's, or names a lease that was never here.
  bool sends_new_on() const { return parts_.has_handed_over && parts_.asks_other(protocol::request_source::client); }
  void report_use();

  void on_exit_of(const caf::exit_msg& msg);

  registry_parts parts_;
  lease_keys keys_;
  admission_queue queue_;
  session_ownership ownership_;
  server_changes changes_;
  /// Ends before `changes_`: then the node is not ready before its servers stop counting as unready.
  session_drain drain_;
  operator_requests operators_;
  /// Unit of the next session that is restored, counted without a limit.
  std::size_t next_unit_ = 0;
};

using registry = actor_of<registry_state>;

} // namespace troupe::actors

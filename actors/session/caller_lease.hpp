#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/local_sessions.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/session/client_operations.hpp"
#include "actors/session/new_session.hpp"
#include "actors/session/session_clients.hpp"
#include "actors/session/session_followers.hpp"
#include "actors/session/session_metrics.hpp"
#include "actors/session/session_servers.hpp"
#include "protocol/modern_client/caller_lease.hpp"
#include "protocol/modern_client/lease_key.hpp"

#include <memory>
#include <optional>
#include <string>

namespace troupe::actors {

/// LEASE: shared by the stateless (2026-07-28) requests of one client. Uses servers as a session does, and each broker
/// until it is answered. Carries out what its state machine decides. To the registry it is a session.
class caller_lease_state {
public:
  using interface = session_actor;
  static constexpr const char* name = "lease";

  caller_lease_state(pinned<interface>* self, registry_actor owner, new_session what,
                     std::shared_ptr<const session_setup> setup);
  ~caller_lease_state();
  caller_lease_state(const caller_lease_state&) = delete;
  caller_lease_state& operator=(const caller_lease_state&) = delete;
  interface::behavior_type make_behavior();

private:
  interface::behavior_type after_the_end();
  void hide();
  void take(client_post& msg);
  std::optional<protocol::rejection> refuse(const client_post& msg) const;
  void end(const drain& why);
  void hear_servers();
  void hear(protocol::message&& what);
  void remind();
  void send_expired_away(protocol::time_point until);
  void report(const collector_actor& to);
  void describe(describe_request& msg);
  /// Sends the message to operators that follow the lease.
  void show(const protocol::message& of_server);
  void end(const end_call& which);
  void on_exit_of(const caf::exit_msg& msg);
  void on_down_of(const caf::actor_addr& who);
  void on_tick();
  protocol::time_point now() const { return self_->at().now(); }

  void apply(protocol::effects effects);
  void carry_out(protocol::effects& all);
  void apply(protocol::forward& effect);
  void apply(protocol::reply& effect);
  void apply(protocol::reject& effect);
  void apply(protocol::end_session& effect);
  /// Other effects: a lease decides none, and `session_clients` carries out those of streams.
  template <class Effect>
  void apply(const Effect&) {}

  pinned<interface>* self_;
  registry_actor owner_;
  /// Id, by which retries find the lease, and key, by which other requests do; no key when it serves one request.
  local_session here_;
  protocol::lease_key key_;
  /// Whether its requests are anonymous and remote, see `client_post`.
  bool is_strangers_;
  /// Rights of its caller, see `rights_told`.
  std::string rights_;
  std::shared_ptr<const session_setup> setup_;
  protocol::caller_lease machine_;
  reminder reminder_;
  session_servers servers_;
  /// Whether `hear_servers` is running.
  bool hears_servers_ = false;
  std::shared_ptr<idle_mark> idle_;
  session_clients clients_;
  client_operations operations_;
  lease_metrics metrics_;
  session_followers followers_;
};

using caller_lease = actor_of<caller_lease_state>;

} // namespace troupe::actors

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

/// LEASE: what the requests of one caller share from 2026-07-28 on. Uses the servers behind them as a session does, and
/// each broker until its request is answered; carries out what the machine decides. To the registry it is a session.
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
  /// To who follows the lease.
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
  /// A lease decides nothing else, and streams are told together.
  template <class Effect>
  void apply(const Effect&) {}

  pinned<interface>* self_;
  registry_actor owner_;
  /// Retries find it by its id, and other requests by what they have in common; empty when it serves one alone.
  local_session here_;
  protocol::lease_key key_;
  /// It may be anybody whom it serves.
  bool is_strangers_;
  /// What its caller may use, where rules depend on that.
  std::string rights_;
  std::shared_ptr<const session_setup> setup_;
  protocol::caller_lease machine_;
  reminder reminder_;
  session_servers servers_;
  /// What these tell is heard.
  bool hears_servers_ = false;
  std::shared_ptr<idle_mark> idle_;
  session_clients clients_;
  client_operations operations_;
  lease_metrics metrics_;
  session_followers followers_;
};

using caller_lease = actor_of<caller_lease_state>;

} // namespace troupe::actors

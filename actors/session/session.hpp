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
#include "protocol/session/session.hpp"
#include "protocol/session/session_transfer.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::actors {

/// SESSION: one client's session. Owns its upstream, uses each broker until it is answered, and carries out what its
/// state machine decides. Unanswered brokers of an ended session are reclaimed: no other actor answers them.
class session_state {
public:
  using interface = session_actor;
  static constexpr const char* name = "session";

  session_state(pinned<interface>* self, registry_actor owner, new_session what,
                std::shared_ptr<const session_setup> setup);
  ~session_state();
  interface::behavior_type make_behavior();

private:
  void begin_again();
  void hear_servers();
  void hear(from_server& said);
  void remind();
  void take(client_post& msg);
  /// Sends the rejection, if there is one. True if there was.
  bool refuses(const broker_actor& broker, std::optional<protocol::rejection> why);
  void asks(const protocol::caller& caller);
  void sign(protocol::post_body& body, const protocol::caller& caller) const;
  void report(const collector_actor& to);
  void describe(describe_request& msg);
  /// Sends messages to operators that follow the session.
  void show(const protocol::post_body& of_client);
  void show(const protocol::message& of_server);
  void end(const end_call& which);
  void send_listeners_away();
  void send_expired_away(protocol::time_point until);
  bool is_ours() const { return !kept_ || kept_->is_ours(now()); }
  void claim(const tenure_regained& how);
  void step_down(std::string_view why);
  bool turns_away(const broker_actor& broker);
  void depart();
  void leave();
  void on_exit_of(const caf::exit_msg& msg);
  void on_down_of(const caf::actor_addr& who);
  void on_tick();
  protocol::time_point now() const { return self_->at().now(); }
  void note(log_level level, std::string what, std::string why = {}) const;

  void apply(protocol::effects effects);
  void carry_out(protocol::effects& all);
  void apply(protocol::forward& effect);
  void apply(protocol::reply& effect);
  void apply(protocol::accept& effect);
  void apply(protocol::reject& effect);
  void apply(protocol::confirm_end& effect);
  // Stream effects: `session_clients` carries them out.
  void apply(protocol::open_stream&) {}
  void apply(protocol::publish&) {}
  void apply(protocol::end_stream&) {}
  void apply(protocol::remember& effect);
  void apply(protocol::keep_event& effect);
  void apply(const protocol::hand_over& effect);
  void apply(protocol::pass_on& effect);
  void apply(protocol::end_session& effect);
  void pass_on(protocol::waiting_post& what, session_clients::client from);
  void pass_on(protocol::waiting_listen& what, session_clients::client from);
  void pass_on(protocol::waiting_end& what, session_clients::client from);

  pinned<interface>* self_;
  registry_actor owner_;
  local_session here_;
  std::shared_ptr<const session_setup> setup_;
  protocol::session machine_;
  reminder reminder_;
  session_servers servers_;
  /// Whether `hear_servers` is running.
  bool hears_servers_ = false;
  std::shared_ptr<const kept_session> kept_;
  std::shared_ptr<idle_mark> idle_;
  /// Effects held back until the session is known to be this node's again.
  protocol::held_effects held_;
  /// Data from the store, until the session has begun again.
  std::unique_ptr<protocol::restored_session> restored_;
  session_clients clients_;
  client_operations operations_;
  session_metrics metrics_;
  session_followers followers_;
};

using session = actor_of<session_state>;

} // namespace troupe::actors

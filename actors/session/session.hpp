#pragma once

#include "actors/access/caller_tokens.hpp"
#include "actors/messages.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/runtime/local_sessions.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/session/idle_mark.hpp"
#include "actors/session/kept_session.hpp"
#include "actors/session/session_clients.hpp"
#include "actors/upstream/lazy_upstream.hpp"
#include "actors/upstream/merged_servers.hpp"
#include "protocol/access/entry_scopes.hpp"
#include "protocol/delivery/http_delivery.hpp"
#include "protocol/delivery/stream_part.hpp"
#include "protocol/session/held_effects.hpp"
#include "protocol/session/session.hpp"
#include "protocol/session/session_record.hpp"

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::actors {

/// What all sessions of a gateway share.
struct session_setup {
  protocol::session_limits limits;
  /// How long what a caller of 2026-07-28 uses is kept after its last call.
  std::chrono::milliseconds lease_time = std::chrono::minutes{5};
  protocol::http_limits http;
  protocol::catalog_limits catalog;
  /// What every request needs, see `protocol::door_rules`: a client that lacks other scopes is told of these, too.
  std::vector<std::string> scopes = {};
  /// Secrets: what is sealed with one of them is ours. The first is for what is new.
  std::function<std::vector<std::string>()> seal_keys = {};
  /// The tokens that callers have shown.
  std::shared_ptr<const caller_tokens> callers = std::make_shared<const caller_tokens>();
  event_log log;
};

/// The parameters of a new session.
struct new_session {
  std::string id;
  protocol::transport via = protocol::transport::streamable_http;
  /// The server in the session's path; empty when all are merged.
  std::string path;
  /// Whom it belongs to; null for nobody in particular.
  protocol::caller caller = {};
  /// The one server that it speaks to, and who may use what of it, see `member`; none when it is for those that are
  /// merged.
  server_actor server;
  std::shared_ptr<const protocol::permissions> access = {};
  std::vector<member> members;
  /// How long its calls may take.
  std::chrono::milliseconds request = {};
  /// Null when it does not survive this node. Only over Streamable HTTP.
  std::shared_ptr<kept_session> kept = {};
  /// What the store has of it when it is restored, otherwise null.
  std::unique_ptr<protocol::restored_session> restored = {};
  /// Where it tells since when it is idle.
  std::shared_ptr<idle_mark> idle = std::make_shared<idle_mark>();
};

/// SESSION: one client's session. Owns its upstream, uses each broker until it is answered, and carries out what the
/// machine decides. The brokers of a session that has ended are reclaimed, for nobody else answers them.
class session_state {
public:
  using interface = session_actor;
  static constexpr const char* name = "session";

  session_state(pinned<interface>* self, registry_actor owner, new_session what,
                std::shared_ptr<const session_setup> setup);
  ~session_state() { self_->at().sessions().remove(here_); }
  interface::behavior_type make_behavior();

private:
  void begin_again();
  void tell_server(protocol::message&& what);
  void hear_server(from_server& msg);
  void hear_merged();
  void hear_refused();
  void remind();
  bool refuses(const broker_actor& broker, const std::optional<std::vector<std::string>>& lacked);
  bool refuses_for_scopes(const client_post& msg);
  bool refuses_for_scopes(const client_listen& msg);
  std::optional<std::vector<std::string>> server_scopes_lacked(const protocol::caller& who) const;
  void asks(const protocol::caller& caller);
  void sign(protocol::post_body& body, const protocol::caller& caller) const;
  void change_members(std::vector<member> all);
  void lose(const std::string& why, bool is_shortage = false) { apply(machine_.server_lost(why, now(), is_shortage)); }
  template <class Message>
  protocol::exchange_id adopt(Message& msg, bool listens = false);
  session_clients::client release(protocol::exchange_id exchange);
  void report(const collector_actor& to);
  void send_listeners_away();
  void send_expired_away(protocol::time_point until);
  bool is_ours() const { return !kept_ || kept_->is_ours(now()); }
  void claim(const lease_regained& how);
  void step_down(std::string_view why);
  bool turns_away(const broker_actor& broker);
  void depart();
  void leave();
  void on_exit_of(const caf::exit_msg& msg);
  void on_down_of(const caf::actor_addr& who);
  void on_lost(const server_lost& msg);
  void on_tick();
  protocol::time_point now() const { return self_->at().now(); }
  void note(log_level level, std::string what, std::string why = {}) const;

  void apply(protocol::effects effects);
  void carry_out(protocol::effects& all);
  void tell_stream(protocol::stream_part part);
  void apply(protocol::forward& effect);
  void apply(protocol::reply& effect);
  void apply(protocol::accept& effect);
  void apply(protocol::reject& effect);
  void apply(protocol::confirm_end& effect);
  // These are carried out together.
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
  /// Where the server is; unless several are merged.
  lazy_upstream upstream_;
  /// Or else where they are.
  std::unique_ptr<merged_servers> merged_;
  /// What it tells is heard.
  bool hears_merged_ = false;
  /// Answers to what the server was not sent, for once all effects are carried out.
  std::deque<protocol::message> refused_;
  std::shared_ptr<const kept_session> kept_;
  std::shared_ptr<idle_mark> idle_;
  /// What is not carried out before it is known that the session is still ours.
  protocol::held_effects held_;
  /// Until it has begun again.
  std::unique_ptr<protocol::restored_session> restored_;
  /// Who may use what of each server; empty when all may use all.
  std::vector<protocol::guarded_server> guarded_;
  /// Where that depends on who asks: the servers that may be merged for him, and who asked last.
  std::vector<member> members_;
  protocol::caller caller_;
  protocol::exchange_id last_exchange_ = 0;
  session_clients clients_;
};

using session = actor_of<session_state>;

} // namespace troupe::actors

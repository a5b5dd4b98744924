#pragma once

#include "actors/cluster_messages.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/session/caller_frame.hpp"
#include "actors/session/new_session.hpp"
#include "actors/session/request_records.hpp"
#include "actors/session/session_metrics.hpp"
#include "actors/session_messages.hpp"
#include "actors/upstream_messages.hpp"
#include "protocol/admin/operator_views.hpp"
#include "protocol/session/session.hpp"
#include "protocol/session/session_transfer.hpp"
#include "protocol/session/state_report.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::actors {

/// SESSION: one client's session. Owns its upstream, uses each broker until it is answered, and carries out what its
/// state machine decides. Unanswered brokers of an ended session are reclaimed: no other actor answers them.
class session_state : public caller_frame<session_state> {
public:
  static constexpr const char* name = "session";

  session_state(pinned<interface>* self, registry_actor owner, new_session what,
                std::shared_ptr<const session_setup> with);
  interface::behavior_type make_behavior();

private:
  friend class caller_frame<session_state>;

  void begin_again();
  void handle(from_server& said);
  void lost(const server_lost& what);
  void handle(client_post& msg);
  void handle(client_listen& msg);
  /// Sends the rejection, if there is one. True if there was.
  bool refuses(const broker_actor& broker, std::optional<protocol::rejection> why);
  protocol::effects fail_call(protocol::exchange_id, const std::string& id, const std::string& why) {
    return machine_.end_call(id, why, now());
  }
  void count(protocol::state_report& to);
  void count(protocol::live_session& to) const;
  void close_listening_streams();
  /// Also true for a session that is over: its answers report only the end, whichever node owns it.
  bool is_ours() const { return !kept_ || is_over_ || kept_->is_ours(); }
  void claim(const tenure_regained& how);
  void step_down(std::string_view why);
  bool reject_if_not_owner(const broker_actor& broker);
  void depart();
  void be_released();
  void leave();
  void note(log_level level, std::string what, std::string why = {}) const;

  using caller_frame::perform;
  void carry_out(protocol::effects effects);
  void perform(protocol::accept& effect);
  void perform(protocol::confirm_end& effect);
  void perform(protocol::remember& effect);
  void perform(protocol::keep_event& effect);
  void perform(const protocol::hand_over& effect);
  void perform(protocol::pass_on& effect);
  void perform(const protocol::forget_session&);
  void perform(protocol::end_session& effect);
  request_head head_for(protocol::caller from) const;
  void pass_on(protocol::waiting_post& what, request_records::client from);
  void pass_on(protocol::waiting_listen& what, request_records::client from);
  void pass_on(protocol::waiting_end& what, request_records::client from);

  protocol::session machine_;
  std::shared_ptr<session_persistence> kept_;
  /// Effects held back until the session is known to be this node's again.
  protocol::held_effects held_;
  /// True once the registry has let the session go, and sends it nothing more.
  bool is_released_ = false;
  /// True once the store is to forget the session.
  bool is_over_ = false;
  /// Data from the store, until the session has begun again.
  std::unique_ptr<protocol::restored_session> restored_;
  session_metrics metrics_;
};

using session = actor_of<session_state>;

} // namespace troupe::actors

#pragma once

#include "actors/runtime/pinned.hpp"
#include "actors/session/caller_frame.hpp"
#include "actors/session/new_session.hpp"
#include "actors/session/session_metrics.hpp"
#include "actors/session_messages.hpp"
#include "actors/upstream_messages.hpp"
#include "protocol/admin/operator_views.hpp"
#include "protocol/modern_client/caller_lease.hpp"
#include "protocol/modern_client/lease_key.hpp"
#include "protocol/session/state_report.hpp"

#include <memory>
#include <optional>
#include <string>

namespace troupe::actors {

/// LEASE: shared by the stateless (2026-07-28) requests of one client. Uses servers as a session does, and each broker
/// until it is answered. Carries out what its state machine decides. To the registry it is a session.
class caller_lease_state : public caller_frame<caller_lease_state> {
public:
  static constexpr const char* name = "lease";

  caller_lease_state(pinned<interface>* self, registry_actor owner, new_session what,
                     std::shared_ptr<const session_setup> with);
  ~caller_lease_state() { forget_key(); }
  interface::behavior_type make_behavior();

private:
  friend class caller_frame<caller_lease_state>;

  void forget_key() { self()->at().sessions().remove(here(), key_); }
  void handle(client_post& msg);
  void close(const protocol::session_closing& how);
  std::optional<protocol::rejection> refuse(const client_post& msg) const;
  void handle(from_server& said);
  void handle(protocol::message&& what);
  void lost(server_lost& what);
  protocol::effects fail_call(protocol::exchange_id exchange, const std::string& id, const std::string& why) {
    return machine_.end_call(exchange, id, why, now());
  }
  void count(protocol::state_report& to) const;
  void count(protocol::live_session& to) const;

  using caller_frame::perform;
  void perform(protocol::end_session& effect);
  /// Other effects: a lease decides none.
  template <class Effect>
  void perform(const Effect&) {}

  /// Key, by which requests without its id find the lease; empty when it serves one request.
  protocol::lease_key key_;
  /// Whether its requests are anonymous and remote, see `request_head`.
  bool is_anonymous_remote_;
  /// Rights of its caller, see `rights_key`.
  std::string rights_;
  protocol::caller_lease machine_;
  lease_metrics metrics_;
};

using caller_lease = actor_of<caller_lease_state>;

} // namespace troupe::actors

#pragma once

#include "protocol/delivery/effects.hpp"
#include "protocol/message/message.hpp"
#include "protocol/session/session_limits.hpp"
#include "protocol/session/waiting_clients.hpp"

#include <string>
#include <utility>

namespace troupe::protocol {

/// A session on its way to another node. Calls in flight finish here; those that come meanwhile wait, so that there is
/// a moment without one, however busy the client is. Then the session lets go: from there on everything waits, until
/// the store lets other nodes have the session and what waits is passed on to them.
class departure {
public:
  departure(std::string why, const session_limits& limits)
      : why_{std::move(why)}, waiting_{limits.waiting, limits.waiting_bytes} {}

  const std::string& why() const { return why_; }
  void let_go() { has_let_go_ = true; }
  bool has_let_go() const { return has_let_go_; }
  /// Whether a POST waits: what begins a call does, and what cancels one that waits. Another notification, or an
  /// answer, may be what a call in flight needs.
  bool holds(const post_body& body) const;
  /// A client waits, or is refused because too much waits already.
  void let_wait(waiting_client one, effects& out);
  /// The connection of a client that may wait is gone.
  void left(exchange_id exchange) { waiting_.left(exchange); }
  /// What has waited goes to another node. What nobody awaits any more has never begun, and does not.
  void pass_on_all(effects& out);
  /// Nobody takes it any more: clients are to come again.
  void turn_away(effects& out);

private:
  std::string why_;
  bool has_let_go_ = false;
  waiting_clients waiting_;
};

} // namespace troupe::protocol

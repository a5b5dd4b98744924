#pragma once

#include "protocol/delivery/delivery.hpp"
#include "protocol/delivery/effects.hpp"
#include "protocol/message/message.hpp"
#include "protocol/rejection.hpp"
#include "protocol/session/dialogue.hpp"
#include "protocol/session/session_limits.hpp"
#include "protocol/session/session_record.hpp"
#include "protocol/session/session_transfer.hpp"
#include "protocol/session/session_turn.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// One session (2024-11-05 to 2025-11-25) between a client and a server: facts in, effects out. Joins the parts: the
/// dialogue of client and server, the delivery to the client, the lifetime, restoring the session after its node died,
/// and leaving a node that is about to go.
class session {
public:
  /// `keeps` is the first record of a session that other nodes can restore; none for other sessions.
  session(const session_limits& limits, std::unique_ptr<delivery> way, time_point now,
          std::optional<session_record> keeps = std::nullopt);

  // -- facts -----------------------------------------------------------------------
  /// Restores a session whose node died, with a new server. If this fact comes, it is the first. Exchanges are numbered
  /// from after `last_exchange`. Requests of clients wait until the new server has initialized.
  effects restore(restored_session from, time_point now);
  effects client_sent(exchange_id exchange, post_body body, time_point now);
  /// `last` is the client's `Last-Event-ID`, empty when it has none.
  effects client_listens(exchange_id exchange, std::string_view last, time_point now);
  effects client_ends(exchange_id exchange, time_point now);
  /// The connection of an exchange is gone. That cancels nothing (2025-11-25, transports, "Sending Messages to the
  /// Server" 6).
  effects client_lost(exchange_id exchange, time_point now);
  /// Closes the connections of these streams, so that their clients come back, be it to another node.
  effects send_away(const std::vector<exchange_id>& streams, time_point now);
  effects server_sent(message from, time_point now);
  /// The server is gone, or never came to be; clients are told why.
  /// `is_shortage` when the gateway could not start it for lack of descriptors, memory or processes. `how` is what the
  /// calls count as that await an answer.
  effects server_lost(const std::string& why, time_point now, bool is_shortage = false,
                      call_outcome how = {call_outcome::kind::lost});
  effects tick(time_point now);
  /// An operator ends the call that the client knows by this id: it fails for this reason, and is cancelled at the
  /// server. Nothing follows when there is none, or when it is what the session begins with.
  effects end_call(std::string_view id, const std::string& why, time_point now);
  /// The gateway or the server is about to go: nothing new begins, calls in flight may finish, unless it goes at once.
  /// A session that keeps a record survives that, unless it is `for_good`. One that departs goes on departing, unless
  /// it is told to go at once or for good.
  effects drain(const std::string& why, bool at_once, time_point now, bool for_good = false);

  /// The gateway is about to go, and another node takes the session at its first idle moment, see `departure`. Without
  /// a record it stays. The `why` is for the log.
  effects depart(const std::string& why, time_point now);
  /// Whether it was told so.
  bool departs() const { return departure_ != nullptr; }
  /// The store may have lost the session's record, which is remembered as it is now. Nothing when it never had one.
  effects write_again(time_point now);
  /// The store has the session as this node's again, but may have lost what else it was told: the roles of the client's
  /// streams, or that other nodes may have the session.
  effects regained(time_point now);
  /// The store lets other nodes have the session.
  effects released(time_point now);

  /// When `tick` has something to do.
  time_point deadline() const;
  /// The number after which exchanges are numbered: not 0 for a session that was restored.
  exchange_id last_exchange() const { return dialogue_.record().last_exchange(); }

  /// Whether the client can come back for the rest of a call's stream whose connection was closed.
  bool resumes_calls() const { return way_->resumes_calls(); }

  // -- for who looks from outside
  /// Gives each request of the client that has ended since this was last asked.
  template <class See>
  void take_finished(See see) {
    for (auto& one : finished_)
      see(one);
    finished_.clear();
  }
  /// See `client_requests::asked_as`.
  std::string_view asked_as(std::string_view own) const { return dialogue_.calls().asked_as(own); }
  /// When it was last used; nothing while a call is in flight or a client listens.
  std::optional<time_point> idle_since() const;
  std::size_t calls_in_flight() const { return dialogue_.calls().size(); }
  std::size_t questions_in_flight() const { return dialogue_.questions().size(); }
  delivery_counts counts() const { return way_->counts(); }

private:
  // -- from the client
  std::optional<rejection> refuse(const post_body& body) const;
  void take_post(exchange_id exchange, post_body&& body, session_turn& turn);
  void take_listen(exchange_id exchange, std::string_view last, session_turn& turn);
  void take_end(exchange_id exchange, session_turn& turn);
  void lose(exchange_id exchange, session_turn& turn);

  // -- from the server
  void take_answer(message&& from, session_turn& turn);

  // -- a restored session
  effects let_wait(waiting_client one);
  void go_on(session_turn& turn);
  void take(waiting_client& one, session_turn& turn);

  // -- to another node
  bool has_let_go() const { return departure_ && departure_->has_let_go(); }
  effects let_wait_to_go(waiting_client one);
  void let_go(session_turn& turn);

  // -- time and end
  void let_streams_poll(session_turn& turn);
  void fail_late_calls(session_turn& turn);
  void end_when_drained(session_turn& turn);
  void end(std::string why, session_turn& turn, bool survives = false);
  session_turn turn_at(time_point now) { return {limits_, *way_, now, {}, &finished_}; }
  session_lifetime::use use() const;

  session_limits limits_;
  finished_calls finished_;
  std::unique_ptr<delivery> way_;
  session_lifetime life_;
  dialogue dialogue_;
  /// Set while the session is being restored, null otherwise.
  std::unique_ptr<restoration> restoration_;
  /// Set once the session is to go to another node, null otherwise.
  std::unique_ptr<departure> departure_;
};

} // namespace troupe::protocol

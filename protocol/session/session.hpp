#pragma once

#include "protocol/delivery/delivery.hpp"
#include "protocol/delivery/effects.hpp"
#include "protocol/message/message.hpp"
#include "protocol/rejection.hpp"
#include "protocol/session/active_session.hpp"
#include "protocol/session/session_limits.hpp"
#include "protocol/session/session_record.hpp"
#include "protocol/session/session_requests.hpp"
#include "protocol/session/session_transfer.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// A session (2024-11-05 to 2025-11-25) between a client and a server. Facts in, effects out. Passes facts
/// to the session at this node, except for requests of clients that wait: until the session is restored after a node's
/// death, has moved to another node, or, once it has ended, is forgotten by the store.
class session {
public:
  /// `keeps`: first record of a session that other nodes can restore; empty for other sessions. `observer` may be
  /// empty.
  session(const session_limits& limits, std::unique_ptr<delivery> to_client, time_point now,
          std::optional<session_record> keeps = std::nullopt, request_observer observer = {});

  // -- facts -----------------------------------------------------------------------
  /// Restores a session whose node died, with a new server. Must be the first fact, if it comes. Exchanges are numbered
  /// from after `last_exchange`. Requests of clients wait, see `restoration`.
  effects restore(restored_session from, time_point now);
  effects client_sent(exchange_id exchange, post_body&& body, time_point now);
  /// `last`: the client's `Last-Event-ID`; empty if it has none.
  effects client_listens(exchange_id exchange, std::string_view last, time_point now);
  effects client_ends(exchange_id exchange, time_point now);
  /// An exchange lost its connection. Cancels nothing (2025-11-25, transports, "Sending Messages to the Server" 6).
  effects client_lost(exchange_id exchange, time_point now);
  /// Closes the connections of streams, so that their clients reconnect, to this or another node.
  effects close_streams(const std::vector<exchange_id>& streams, time_point now);
  effects server_sent(message&& from, time_point now);
  /// The server exited, disconnected, or could not start; clients get the reason. `is_shortage`: the gateway lacked
  /// descriptors, memory or processes to start it. `how`: outcome of the unanswered calls.
  effects server_lost(const std::string& why, time_point now, bool is_shortage = false,
                      call_outcome how = {call_outcome::kind::lost});
  effects tick(time_point now);
  /// Fails a call for an operator, by the client's id, with this reason, and cancels it at the server. No effect
  /// without such a call, or on `initialize`.
  effects end_call(std::string_view id, const std::string& why, time_point now);
  /// Lets nothing new begin, and ends the session when no call is in flight. A departing session continues to depart,
  /// unless `at_once` or `for_good`.
  effects close(const session_closing& how, time_point now);

  /// The gateway is about to stop: another node takes the session at its first idle moment, see `departure`. A session
  /// without a record stays. `why` is for the log.
  effects depart(const std::string& why, time_point now);
  /// True after `depart`.
  bool departs() const { return departure_ != nullptr; }
  /// Writes the record again, as it is now: the store may have lost it. No effect without a record.
  effects write_again(time_point now);
  /// The store has confirmed again that this node owns the session, but may have lost other data of it: the roles of
  /// its streams, or the release to other nodes. Repeats those.
  effects regained(time_point now);
  /// The store has released the session to other nodes.
  effects released(time_point now);
  /// Ends the session here, which another node may own by now, without a message to its server. `held` are effects that
  /// have not been carried out. Returns answers for exchanges of POSTs whose stream has not begun. A call that has
  /// reached the server fails, as it may have run; clients of all other requests are asked to retry.
  effects give_up(effects held, time_point now);
  /// The store has forgotten the session after `forget_session`. Without `is_done`, it could not.
  effects forgotten(bool is_done, time_point now);

  /// When `tick` has something to do.
  time_point deadline() const;
  /// Number after which exchanges are numbered; greater than 0 for a restored session.
  exchange_id last_exchange() const { return local_.dialogue_state().record().last_exchange(); }

  /// True if the client can resume a call's stream after its connection was closed.
  bool resumes_calls() const { return local_.to_client().resumes_calls(); }

  // -- observers
  /// See `client_requests::asked_as`.
  std::string_view asked_as(std::string_view own) const { return local_.dialogue_state().calls().asked_as(own); }
  /// Time of the last use; empty while a call is in flight or a client listens.
  std::optional<time_point> idle_since() const { return local_.idle_since(); }
  std::size_t calls_in_flight() const { return local_.dialogue_state().calls().size(); }
  std::size_t questions_in_flight() const { return local_.dialogue_state().questions().size(); }
  delivery_counts counts() const { return local_.to_client().counts(); }

private:
  /// Handles one fact.
  template <class Fact>
  effects at(time_point now, Fact fact);
  effects client_wants(waiting_client one, time_point now);
  bool waits_to_go(const waiting_client& one) const;
  void resume(waiting_client& one, session_turn& turn);
  void continue_restored(session_turn& turn);
  void finish_restoration(session_turn& turn);
  void let_in(std::vector<waiting_client> clients, session_turn& turn);
  void let_in(waiting_client& one, session_turn& turn);
  void lose(exchange_id exchange, session_turn& turn);
  void receive_end(exchange_id exchange, session_turn& turn);
  void end_if_over(session_turn& turn);
  void begin_ending(session_turn& turn, std::string why);
  void end_now(session_turn& turn);

  active_session local_;
  /// Non-null while the session is being restored.
  std::unique_ptr<restoration> restoration_;
  /// Non-null once the session is to move to another node.
  std::unique_ptr<departure> departure_;
  /// Non-null while the store is to forget the session.
  std::unique_ptr<pending_end> ending_;
};

} // namespace troupe::protocol

#pragma once

#include "protocol/counted_queue.hpp"
#include "protocol/delivery/delivery.hpp"
#include "protocol/delivery/effects.hpp"
#include "protocol/message/message.hpp"
#include "protocol/rejection.hpp"
#include "protocol/session/agreement.hpp"
#include "protocol/session/session_limits.hpp"
#include "protocol/session/session_record.hpp"
#include "protocol/session/session_requests.hpp"
#include "protocol/time.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Conversation of a session's client and server: `initialize` first, then requests, responses and notifications both
/// ways. Rewrites ids and progress tokens; relays the rest unchanged.
class dialogue {
public:
  dialogue(const session_limits& limits, std::optional<session_record> keeps)
      : record_{std::move(keeps)}, questions_{limits} {}

  // -- the client
  /// Returns why a POST cannot be accepted; empty if it can. `closing`: why nothing new may begin, if so.
  std::optional<rejection> refuse(const post_body& body, const std::optional<std::string>& closing,
                                  const session_limits& limits) const;
  /// Takes the client's `initialize`.
  void begin(exchange_id exchange, message&& initialize, session_turn& turn);
  /// Takes any other message of the client. True if a call ended by it.
  bool receive_from_client(exchange_id exchange, message&& from, session_turn& turn);

  // -- the server
  /// Takes a request or a notification of the server.
  void receive_from_server(message&& from, session_turn& turn);
  /// Finds and removes the request that an answer ends; empty if there is none.
  std::optional<call> answered(const message& answer, session_turn& turn);
  /// Takes the server's answer to `asked`. Returns why the session cannot go on; empty if it can.
  std::optional<std::string> receive_response(message&& from, const call& asked, session_turn& turn);

  // -- a restored session
  /// Initializes the new server of a restored session as the earlier server was. The answer is handled like any other.
  void begin_again(session_record before, std::uint32_t offset, session_turn& turn);
  /// Continues once the new server has initialized; `events` are the stored events of the client's streams.
  void continue_restored(const std::vector<saved_event>& events, session_turn& turn);

  // -- time and end
  void fail_calls(const std::string& why, call_outcome how, session_turn& turn) { calls_.fail_all(why, how, turn); }
  /// See `client_requests::give_up`.
  void give_up_calls(const effects& held, session_turn& turn) { calls_.give_up(held, agreement_, turn); }
  void abandon_calls(const session_turn& turn) { calls_.abandon_all(turn); }
  /// See `client_requests::end`.
  bool end_call(std::string_view id, const std::string& why, session_turn& turn) {
    return calls_.end(id, why, record_, turn);
  }
  /// Refuses `initialize` for now: the client may try again.
  void refuse_initialize(const std::string& why, session_turn& turn) { calls_.refuse_all(why, turn); }
  /// Fails calls past their deadline. Returns whether there was one.
  bool fail_late_calls(session_turn& turn) { return calls_.fail_late(record_, turn); }
  /// Fails an `initialize` past its deadline. Returns why the session cannot go on; empty if it can.
  std::optional<std::string> fail_late_initialize(session_turn& turn) { return calls_.fail_late_initialize(turn); }
  void fail_late_questions(session_turn& turn) { questions_.fail_late(turn); }
  time_point deadline(const session_limits& limits) const;

  const agreement& agreed() const { return agreement_; }
  record_schedule& record() { return record_; }
  const record_schedule& record() const { return record_; }
  const client_requests& calls() const { return calls_; }
  const server_requests& questions() const { return questions_; }

private:
  bool waits_for_agreement(const message& from_client) const;
  std::optional<rejection> refuse_early(const post_body& body, const session_limits& limits) const;
  void receive_early(session_turn& turn);
  void receive_request(exchange_id exchange, message&& from, session_turn& turn);
  bool receive_notification(message&& from, session_turn& turn);
  bool cancel(message&& from, session_turn& turn);
  void client_initialized(session_turn& turn);
  void receive_server_notification(message&& from, session_turn& turn);
  std::optional<std::string> receive_initialize_response(message&& from, const call& asked, session_turn& turn);
  void open(exchange_id exchange, std::string&& text, session_turn& turn);
  void tell_again(session_turn& turn);

  agreement agreement_;
  /// Notifications of the client that wait for the answer to `initialize`.
  counted_queue<std::vector<message>, text_size> early_;
  record_schedule record_;
  /// Requests of the client, and of the server.
  client_requests calls_;
  server_requests questions_;
};

/// A session as one node serves it: dialogue with the server, delivery to the client, and lifetime. Knows no requests
/// that wait. Serves until it lets go of its clients for another node, or ends. After that it takes nothing from the
/// server, refuses requests, and goes on only with the transfer. An end is noted in the turn, for `session`, which has
/// effects to put before it.
class active_session {
public:
  /// `keeps`, `observer`: see `session`.
  active_session(const session_limits& limits, std::unique_ptr<delivery> to_client, time_point now,
                 std::optional<session_record> keeps, request_observer observer);

  /// Returns the context for handling one fact.
  session_turn turn_at(time_point now) { return {limits_, *to_client_, now, {}, observer_ ? &observer_ : nullptr}; }

  // -- the client
  void receive_post(exchange_id exchange, post_body&& body, session_turn& turn);
  void receive_listen(exchange_id exchange, std::string_view last, session_turn& turn);
  void receive_end(exchange_id exchange, session_turn& turn);
  /// An exchange lost its connection.
  void lose(exchange_id exchange, session_turn& turn);

  // -- the server
  /// Takes a message of the server. True if a request ended by it and the session continues: the caller then calls
  /// `end_when_drained`, after all that the answer leads to.
  bool server_sent(message&& from, session_turn& turn);
  /// See `session::server_lost`.
  void server_lost(const std::string& why, bool is_shortage, call_outcome how, session_turn& turn);

  // -- between nodes
  /// Initializes the new server of a restored session.
  void begin_again(session_record before, std::uint32_t offset, session_turn& turn);
  /// Continues once that server has initialized; `events` are the stored events of the client's streams.
  void continue_restored(const std::vector<saved_event>& events, session_turn& turn);
  /// True if another node can take the session.
  bool can_depart() const { return !life_.is_over() && dialogue_.record().is_kept(); }
  /// Lets go at the first moment without a call.
  void depart(session_turn& turn);
  void write_again(session_turn& turn);
  void regained(session_turn& turn);
  /// Answers the calls in flight of a session that another node may own, see `session::give_up`.
  void give_up(const effects& held, session_turn& turn);
  /// Ends after the store has released the session to other nodes.
  void released(std::string why, session_turn& turn);

  // -- time and end
  void tick(session_turn& turn);
  void end_call(std::string_view id, const std::string& why, session_turn& turn);
  /// See `session::close`.
  void close(const session_closing& how, session_turn& turn);
  /// Ends the session if it is to stop, or lets go if it is to depart, once no call is in flight.
  void end_when_drained(session_turn& turn);

  // -- observers
  bool is_over() const { return life_.is_over(); }
  bool has_let_go() const { return life_.has_let_go(); }
  /// Why nothing new may begin; empty while it may.
  const std::optional<std::string>& closing() const { return life_.closing(); }
  /// When `tick` has something to do.
  time_point deadline() const;
  /// See `session::idle_since`.
  std::optional<time_point> idle_since() const;
  const dialogue& dialogue_state() const { return dialogue_; }
  const delivery& to_client() const { return *to_client_; }

private:
  std::optional<rejection> refuse(const post_body& body) const;
  bool receive_response(message&& from, session_turn& turn);
  void let_go(session_turn& turn);
  void let_streams_poll(session_turn& turn);
  void fail_late_calls(session_turn& turn);
  void end(std::string why, session_turn& turn, bool survives = false);
  session_lifetime::use use() const;

  session_limits limits_;
  request_observer observer_;
  std::unique_ptr<delivery> to_client_;
  session_lifetime life_;
  dialogue dialogue_;
};

} // namespace troupe::protocol

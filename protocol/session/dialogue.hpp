#pragma once

#include "protocol/counted_queue.hpp"
#include "protocol/session/agreement.hpp"
#include "protocol/session/record_schedule.hpp"
#include "protocol/session/session_requests.hpp"
#include "protocol/session/session_turn.hpp"

#include <chrono>
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
  void begin_again(session_record before, session_turn& turn);
  /// Continues once the new server has initialized; `events` are the stored events of the client's streams.
  void go_on(const std::vector<saved_event>& events, session_turn& turn);

  // -- time and end
  void fail_calls(const std::string& why, call_outcome how, session_turn& turn) { calls_.fail_all(why, how, turn); }
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
  void take_early(session_turn& turn);
  void receive_request(exchange_id exchange, message&& from, session_turn& turn);
  bool receive_notification(message&& from, session_turn& turn);
  bool cancel(message&& from, session_turn& turn);
  void client_initialized(session_turn& turn);
  void take_server_notification(message&& from, session_turn& turn);
  std::optional<std::string> take_initialize_answer(message&& from, const call& asked, session_turn& turn);
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

} // namespace troupe::protocol

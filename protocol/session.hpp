#pragma once

#include "protocol/calls.hpp"
#include "protocol/channel.hpp"
#include "protocol/effects.hpp"
#include "protocol/message.hpp"
#include "protocol/post.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <string>

namespace troupe::protocol {

/// How long and how much a session may. The defaults are those of the gateway.
struct session_limits {
  /// Ends after this long without a request, a call in flight or an open stream.
  std::chrono::milliseconds idle = std::chrono::minutes{30};
  /// A call fails after this long without an answer or progress, and in any case after `request_cap`.
  std::chrono::milliseconds request = std::chrono::minutes{5};
  std::chrono::milliseconds request_cap = std::chrono::minutes{30};
  std::chrono::milliseconds initialize = std::chrono::seconds{30};
  /// A server's question to the client fails after this long: a person may have to answer it.
  std::chrono::milliseconds question = std::chrono::minutes{10};
  /// A POST without a sign of life for this long becomes a stream, which is kept alive by comments.
  std::chrono::milliseconds patience = std::chrono::seconds{15};
  /// Streams that a client may open with GET beside the primary.
  std::size_t shadows = 8;
  /// Messages of the server that wait for a stream.
  std::size_t waiting = 64;
  /// Calls in flight, and the server's questions in flight.
  std::size_t calls = 1000;
  std::size_t questions = 256;
};

/// The rules of one session of the session era (2025-03-26 to 2025-11-25) with a server of its own: facts in, effects
/// out. Ids and progress tokens are rewritten both ways; all else is relayed as it came.
///
/// A server on stdio does not say which call a message belongs to. What has a progress token goes to its call; the
/// rest goes to the only call in flight, otherwise to the primary stream, and waits for one when there is none.
class session {
public:
  session(const session_limits& limits, time_point now);

  // -- facts -----------------------------------------------------------------------
  effects client_sent(exchange_id exchange, post_body body, time_point now);
  effects client_listens(exchange_id exchange, time_point now);
  effects client_ends(exchange_id exchange);
  /// The connection of an exchange, or of the stream that it became, is gone. That cancels nothing (2025-11-25,
  /// transports, "Sending Messages to the Server" 6).
  effects client_lost(exchange_id exchange, time_point now);
  effects server_sent(message from, time_point now);
  /// The server is gone, or never came to be; clients are told why.
  effects server_lost(const std::string& why);
  effects tick(time_point now);
  /// The gateway stops: calls in flight may finish, nothing new begins.
  effects drain();

  /// When `tick` has something to do.
  time_point deadline() const;

private:
  enum class phase { fresh, starting, open, ended };

  // -- from the client
  std::optional<rejection> refuse(const post_body& body) const;
  std::optional<rejection> refuse_kinds(const post_body& body) const;
  std::optional<rejection> refuse_requests(const post_body& body) const;
  void take_request(exchange_id exchange, message from, time_point now, effects& out);
  void take_notification(message from, time_point now, effects& out);
  void take_response(message from, effects& out);
  void begin(exchange_id exchange, message from, time_point now, effects& out);
  void cancel(message from, effects& out);
  void release_held(time_point now, effects& out);

  // -- from the server
  void take_answer(message from, time_point now, effects& out);
  void take_initialize_answer(message from, const call& asked, effects& out);
  void take_question(message from, time_point now, effects& out);
  void take_server_notification(message from, time_point now, effects& out);
  void take_progress(message from, time_point now, effects& out);
  void withdraw_question(message from, effects& out);
  bool must_wait(const message& from) const;
  void hold(message from, effects& out);

  // -- ways to the client
  post* sole_post(exchange_id& exchange);
  post* latest_post(exchange_id& exchange);
  bool send_related(std::string text, bool may_be_lost, exchange_id& on, effects& out);
  void send_unrelated(std::string text, effects& out);
  void send_on(exchange_id stream, std::string text, effects& out);
  void answer(const call& asked, std::string text, effects& out);
  void settle(exchange_id exchange);

  void fail_late_calls(time_point now, effects& out);
  void fail_late_questions(time_point now, effects& out);
  void end_when_drained(effects& out);
  void end(std::string why, effects& out);
  bool busy() const { return !calls_.empty() || !channel_.empty(); }

  session_limits limits_;
  phase phase_ = phase::fresh;
  bool initialized_ = false;
  bool draining_ = false;
  std::string version_;
  time_point touched_;
  calls calls_;
  calls questions_;
  std::map<exchange_id, post> posts_;
  channel channel_;
  std::deque<message> held_;
};

} // namespace troupe::protocol

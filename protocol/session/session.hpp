#pragma once

#include "protocol/delivery/backlog.hpp"
#include "protocol/delivery/delivery.hpp"
#include "protocol/delivery/effects.hpp"
#include "protocol/message/capabilities.hpp"
#include "protocol/message/message.hpp"
#include "protocol/session/calls.hpp"
#include "protocol/session/record_schedule.hpp"
#include "protocol/session/session_limits.hpp"
#include "protocol/session/session_record.hpp"
#include "protocol/session/waiting_clients.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// The rules of one session of the session era (2024-11-05 to 2025-11-25) with a server of its own: facts in, effects
/// out. Ids and progress tokens are rewritten both ways; all else is relayed as it came. How the client is reached is
/// the business of its `delivery`.
class session {
public:
  /// One that is to survive its node keeps a record of itself, which begins as `keeps`.
  session(const session_limits& limits, std::unique_ptr<delivery> way, time_point now,
          std::optional<session_record> keeps = std::nullopt);

  // -- facts -----------------------------------------------------------------------
  /// Its node is gone, and it goes on here with another server: the first fact, if at all. Exchanges count on from
  /// `last_exchange`. What clients want waits until the server has initialized as the one before.
  effects restore(restored_session from, time_point now);
  effects client_sent(exchange_id exchange, post_body body, time_point now);
  /// `last` is the client's `Last-Event-ID`, empty when it has none.
  effects client_listens(exchange_id exchange, std::string_view last, time_point now);
  effects client_ends(exchange_id exchange, time_point now);
  /// The connection of an exchange is gone. That cancels nothing (2025-11-25, transports, "Sending Messages to the
  /// Server" 6).
  effects client_lost(exchange_id exchange, time_point now);
  /// Clients that listen there are to come back by another way, to another node of the same gateway: their connections
  /// are closed, as if they had left.
  effects send_away(const std::vector<exchange_id>& listeners, time_point now);
  effects server_sent(message from, time_point now);
  /// The server is gone, or never came to be; clients are told why.
  effects server_lost(const std::string& why, time_point now);
  effects tick(time_point now);
  /// The gateway or the server is about to go: nothing new begins, calls in flight may finish, unless it goes at once.
  /// A session that keeps a record survives that, unless it is `for_good`.
  effects drain(const std::string& why, bool at_once, time_point now, bool for_good = false);

  /// When `tick` has something to do.
  time_point deadline() const;
  /// The number that exchanges count on from: not 0 in another life.
  exchange_id last_exchange() const { return record_.last_exchange(); }

  // -- for who looks from outside
  std::size_t calls_in_flight() const { return calls_.size(); }
  std::size_t questions_in_flight() const { return questions_.size(); }
  delivery_counts counts() const { return way_->counts(); }

private:
  enum class phase { fresh, starting, restoring, open, ended };

  // -- from the client
  std::optional<rejection> refuse(const post_body& body) const;
  std::optional<rejection> refuse_kinds(const post_body& body) const;
  std::optional<rejection> refuse_requests(const post_body& body) const;
  void take_request(exchange_id exchange, message&& from, time_point now, effects& out);
  void take_notification(message&& from, time_point now, effects& out);
  void take_response(message&& from, effects& out);
  void begin(exchange_id exchange, message&& from, time_point now, effects& out);
  void cancel(message&& from, time_point now, effects& out);
  void take_client_progress(message&& from, time_point now, effects& out);
  void release_held(time_point now, effects& out);

  static message asking_for(message initialize, std::string_view version);
  static message asking_for_known(message initialize);

  // -- from the server
  void take_answer(message&& from, time_point now, effects& out);
  void take_initialize_answer(message&& from, const call& asked, time_point now, effects& out);
  void take_question(message&& from, time_point now, effects& out);
  void take_server_notification(message&& from, time_point now, effects& out);
  void take_progress(message&& from, time_point now, effects& out);
  void withdraw_question(message&& from, time_point now, effects& out);
  void publish_held(time_point now, effects& out);
  bool must_wait(const message& from) const;
  void hold(message&& from, effects& out);

  // -- another life
  std::string begin_own(time_point until);
  void tell_again(std::string_view method, std::string_view name, std::string_view value, time_point now, effects& out);
  void tell_all_again(time_point now, effects& out);
  void take_restored_answer(const message& from, time_point now, effects& out);
  void let_wait(waiting_client one, effects& out);
  effects take_now(waiting_client& one, time_point now);
  void work_off(time_point now, effects& out);
  void turn_away(effects& out);

  // -- time and end
  void fail_calls(const std::string& why, time_point now, effects& out);
  void fail_late_calls(time_point now, effects& out);
  void fail_late_questions(time_point now, effects& out);
  void end_when_drained(time_point now, effects& out);
  void end(std::string why, time_point now, effects& out, bool survives = false);
  bool agreeing() const { return phase_ == phase::starting || phase_ == phase::restoring; }
  bool busy() const { return !calls_.empty() || way_->live(); }

  session_limits limits_;
  std::unique_ptr<delivery> way_;
  phase phase_ = phase::fresh;
  bool initialized_ = false;
  /// Why nothing new begins; nothing as long as it does.
  std::optional<std::string> draining_;
  bool for_good_ = false;
  std::string version_;
  client_capabilities capabilities_;
  time_point begun_;
  time_point touched_;
  calls calls_;
  calls questions_;
  backlog held_;
  record_schedule record_;
  /// What is left of the life before, until the session is open.
  std::vector<saved_event> kept_events_;
  waiting_clients waiting_;
};

} // namespace troupe::protocol

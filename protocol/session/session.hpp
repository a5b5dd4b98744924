#pragma once

#include "protocol/delivery/backlog.hpp"
#include "protocol/delivery/delivery.hpp"
#include "protocol/delivery/effects.hpp"
#include "protocol/message/capabilities.hpp"
#include "protocol/message/message.hpp"
#include "protocol/session/calls.hpp"
#include "protocol/session/session_record.hpp"
#include "protocol/session/waiting_clients.hpp"
#include "protocol/time.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// How long and how much a session may. The defaults are those of the gateway.
struct session_limits {
  /// Ends after this long without a request, a call in flight or an open stream.
  std::chrono::milliseconds idle = std::chrono::minutes{30};
  /// A call fails after this long without an answer or progress, and in any case after `request_cap`.
  std::chrono::milliseconds request = std::chrono::minutes{5};
  std::chrono::milliseconds request_cap = std::chrono::minutes{30};
  /// From the beginning to `initialize`, and from there to its answer.
  std::chrono::milliseconds initialize = std::chrono::seconds{30};
  /// A server's question to the client fails after this long: a person may have to answer it.
  std::chrono::milliseconds question = std::chrono::minutes{10};
  /// Calls in flight, and the server's questions in flight.
  std::size_t calls = 1000;
  std::size_t questions = 256;
  /// Messages of the server that wait until the client is initialized, and their bytes.
  std::size_t held = 64;
  std::size_t held_bytes = 1024 * 1024;
  /// What clients want while the session is restored, and its bytes.
  std::size_t waiting = 64;
  std::size_t waiting_bytes = 8 * 1024 * 1024;
};

/// How old a record may get that a store keeps: when its client speaks, and when it only listens, waits or is silent.
struct record_age {
  static constexpr std::chrono::milliseconds spoken = std::chrono::minutes{1};
  static std::chrono::milliseconds silent(std::chrono::milliseconds idle) { return std::max(spoken, idle / 2); }
};

/// How much of its record a session may have written: small changes at once, large ones about once a second.
struct record_pace {
  static constexpr std::size_t bytes_a_second = 64 * 1024;
  /// So much may be written ahead of that.
  static constexpr std::chrono::milliseconds ahead = std::chrono::seconds{1};
};

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
  exchange_id last_exchange() const { return keeper_ ? first_of_life(keeper_->record()) : 0; }

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
  void remember_now(time_point now, effects& out);
  void remember_in_time(time_point now, effects& out);
  void remind(std::chrono::milliseconds age, time_point now, effects& out);

  // -- time and end
  void fail_calls(const std::string& why, time_point now, effects& out);
  void fail_late_calls(time_point now, effects& out);
  void fail_late_questions(time_point now, effects& out);
  void end_when_drained(time_point now, effects& out);
  void end(std::string why, time_point now, effects& out, bool survives = false);
  bool agreeing() const { return phase_ == phase::starting || phase_ == phase::restoring; }
  time_point record_deadline() const;
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
  /// There for one that is to survive its node.
  std::unique_ptr<record_keeper> keeper_;
  time_point remembered_;
  /// Until when what was written of the record takes, at its pace.
  time_point paced_until_;
  /// The record has changed since, and is written when its pace allows.
  bool is_changed_ = false;
  /// What is left of the life before, until the session is open.
  std::vector<saved_event> kept_events_;
  waiting_clients waiting_;
};

} // namespace troupe::protocol

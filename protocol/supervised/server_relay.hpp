#pragma once

#include "protocol/message/message.hpp"
#include "protocol/message/request_table.hpp"
#include "protocol/message/severity.hpp"
#include "protocol/supervised/server_calls.hpp"
#include "protocol/supervised/server_effects.hpp"
#include "protocol/supervised/server_users.hpp"
#include "protocol/supervised/subscriptions.hpp"
#include "protocol/supervised/supervision_rules.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace troupe::protocol {

/// `logging/setLevel` and `notifications/message` of one server. Sends the server the most verbose of its users'
/// levels, and each user the messages that its own level allows. A shared stateless (2026-07-28) server gets the level
/// with each request instead. Its log messages go to the user whose request they concern, as far as that is certain.
class log_level_requests {
public:
  /// All three must outlive this object.
  log_level_requests(const supervision_rules& rules, server_users& users, server_calls& calls)
      : rules_{rules}, users_{users}, calls_{calls} {}

  static bool handles(const message& request) { return request.is_method("logging/setLevel"); }
  /// Handles a request of a user; the server is ready.
  void receive_request(user_id user, message&& request, time_point now, server_effects& out);
  /// Keeps the level of a user's request while the server is down, for its next start. False if not a valid level.
  bool remember(user_id user, const message& request, server_effects& out);
  void receive_response(const relayed_call& asked, const message& answer, time_point now, server_effects& out);
  /// Sends the level to a server that is ready, if it differs from the level sent last.
  void send_level_change(time_point now, server_effects& out);
  /// Forwards a log message of a shared server. `concerns`: see `supervised_server::server_sent`.
  void publish(const message& log, std::string_view concerns, server_effects& out) const;

  void user_disconnected(user_id user) { all_.forget(user); }
  /// The next server starts without a level.
  void server_lost() { all_.untold(); }
  void clear() { all_ = {}; }

private:
  void set(user_id user, severity level);

  const supervision_rules& rules_;
  server_users& users_;
  server_calls& calls_;
  log_levels all_;
};

/// Unanswered requests of one server to its users, each under an id of ours.
class server_questions {
public:
  /// Both must outlive this object; `calls` is notified when a user gets a request and when the request is over.
  server_questions(const supervision_rules& rules, server_calls& calls) : rules_{rules}, calls_{calls} {}

  // -- from the server -----------------------------------------------------------------
  /// Forwards a request to a user; refuses it when too many are in flight.
  void ask(user_id user, message&& from, time_point now, server_effects& out);
  /// The server has cancelled a request.
  void withdraw(message&& cancelled, time_point now, server_effects& out);

  // -- from users ----------------------------------------------------------------------
  void receive_response(user_id user, message&& from, time_point now, server_effects& out);
  void receive_progress(user_id user, message&& from, time_point now, server_effects& out);
  void user_disconnected(user_id user, time_point now, server_effects& out);

  // -- ends ----------------------------------------------------------------------------
  void fail_late(time_point now, server_effects& out);
  void server_lost(server_effects& out);
  void clear() { under_way_.extract_all(); }

  std::size_t size() const { return under_way_.size(); }
  time_point deadline() const { return under_way_.deadline(); }

private:
  const supervision_rules& rules_;
  server_calls& calls_;
  /// The receiver of each is a user.
  server_question_table under_way_;
};

/// Answers a request of the server with an internal error.
void reject_server_request(std::string_view id, std::string_view why, server_effects& out);

/// Relays messages between one server and its users while the server runs.
class server_relay {
public:
  /// All three must outlive this object.
  server_relay(const supervision_rules& rules, server_users& users, server_calls& calls);

  // -- from users ----------------------------------------------------------------------
  /// Forwards a request to a server that is ready.
  void pass(user_id user, message&& request, time_point now, server_effects& out);
  void cancel(user_id user, message&& cancelled, time_point now, server_effects& out);
  /// Handles a request to set the log level while the server is down; false for other requests and unknown levels.
  bool remember_level(user_id user, const message& request, server_effects& out) {
    return levels_.remember(user, request, out);
  }
  void receive_user_progress(user_id user, message&& from, time_point now, server_effects& out) {
    questions_.receive_progress(user, std::move(from), now, out);
  }
  void receive_user_response(user_id user, message&& from, time_point now, server_effects& out) {
    questions_.receive_response(user, std::move(from), now, out);
  }
  void user_disconnected(user_id user, bool server_is_ready, time_point now, server_effects& out);

  // -- from the server -----------------------------------------------------------------
  /// Handles the answer to a request other than `initialize`.
  void receive_response(const relayed_call& asked, message&& answer, time_point now, server_effects& out);
  /// `concerns`: see `supervised_server::server_sent`.
  void receive_server_request(message&& request, std::string_view concerns, time_point now, server_effects& out);
  void receive_notification(message&& from, std::string_view concerns, time_point now, server_effects& out);
  /// Repeats log level and subscriptions to a new server.
  void server_ready(time_point now, server_effects& out);
  /// Removes and returns the requests that never ran at a server that forgot its session, to send them again. Requests
  /// already sent come first, in their order, then subscription requests that waited for another.
  kept_requests extract_never_ran();
  /// Fails all requests in flight.
  void server_lost(std::string_view why, time_point now, server_effects& out);

  // -- ends ----------------------------------------------------------------------------
  /// A request to the server was not answered in time.
  void fail_late(std::uint64_t own, const relayed_call& asked, time_point now, server_effects& out);
  void fail_late_questions(time_point now, server_effects& out) { questions_.fail_late(now, out); }
  /// Forgets all requests in flight, and the users' subscriptions and log levels.
  void clear();

  std::size_t questions() const { return questions_.size(); }
  time_point deadline() const { return questions_.deadline(); }

private:
  std::optional<user_id> only_concerned_user() const;
  bool receive_for_many(const message& from, std::string_view concerns, server_effects& out);

  const supervision_rules& rules_;
  server_users& users_;
  server_calls& calls_;
  server_questions questions_;
  subscription_requests subscriptions_;
  log_level_requests levels_;
};

} // namespace troupe::protocol

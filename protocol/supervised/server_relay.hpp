#pragma once

#include "protocol/message/message.hpp"
#include "protocol/message/request_table.hpp"
#include "protocol/supervised/log_levels.hpp"
#include "protocol/supervised/server_calls.hpp"
#include "protocol/supervised/server_effects.hpp"
#include "protocol/supervised/server_users.hpp"
#include "protocol/supervised/subscriptions.hpp"
#include "protocol/supervised/supervision_rules.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// `logging/setLevel` and `notifications/message` of one server: tells it the most verbose of its users' levels, and
/// each user what its own lets pass. A server of 2026-07-28 that hears of each user is asked for log messages by each
/// request; a message is told to the user whose request it is about, as far as that is certain.
class log_level_requests {
public:
  /// All three outlive this.
  log_level_requests(const supervision_rules& rules, server_users& users, server_calls& calls)
      : rules_{rules}, users_{users}, calls_{calls} {}

  static bool takes(const message& request) { return request.is_method("logging/setLevel"); }
  /// A request of a user, for a server that is ready.
  void take(user_id user, message&& request, time_point now, server_effects& out);
  /// A request of a user while the server is not there: a level is told when it is back. False when it is no level.
  bool remember(user_id user, const message& request, server_effects& out);
  void take_answer(const relayed_call& asked, const message& answer, time_point now, server_effects& out);
  /// Tells a server that is ready the level that it has to know, when that is another than it was told last.
  void tell_news(time_point now, server_effects& out);
  /// A log message of a server that is shared. `concerns`: see `supervised_server::server_sent`.
  void publish(const message& log, std::string_view concerns, server_effects& out) const;

  void user_left(user_id user) { all_.forget(user); }
  /// The next server knows no level.
  void server_lost() { all_.untold(); }
  void clear() { all_ = {}; }

private:
  void set(user_id user, severity level);

  const supervision_rules& rules_;
  server_users& users_;
  server_calls& calls_;
  log_levels all_;
};

/// A request of a server to one of its users.
struct server_question {
  /// Who was asked.
  user_id user = 0;
  /// The server's id, a JSON token.
  std::string id = {};
  /// The server's progress token; empty when it wants no progress.
  std::string token = {};
  /// When it has failed, unless progress is made; never later than `cap`.
  time_point deadline = {};
  time_point cap = {};

  /// All are of one server.
  static constexpr std::optional<std::uint64_t> asker() { return 0; }
};

/// Requests of one server to its users that have no answer yet, each under an id of ours.
class server_questions {
public:
  /// Both outlive this; `calls` hears when a user is asked, and when a question is over.
  server_questions(const supervision_rules& rules, server_calls& calls) : rules_{rules}, calls_{calls} {}

  // -- from the server -----------------------------------------------------------------
  /// Asks a user, or refuses when too many requests are under way.
  void ask(user_id user, message&& from, time_point now, server_effects& out);
  /// The server has cancelled one.
  void withdraw(message&& cancelled, time_point now, server_effects& out);

  // -- from users ----------------------------------------------------------------------
  void take_answer(user_id user, message&& from, time_point now, server_effects& out);
  void take_progress(user_id user, message&& from, time_point now, server_effects& out);
  void user_left(user_id user, time_point now, server_effects& out);

  // -- ends ----------------------------------------------------------------------------
  void fail_late(time_point now, server_effects& out);
  void server_lost(server_effects& out);
  void clear() { under_way_.take_all(); }

  std::size_t size() const { return under_way_.size(); }
  time_point deadline() const { return under_way_.deadline(); }

private:
  /// Ends one that is under way.
  server_question take(std::uint64_t own, time_point now);

  const supervision_rules& rules_;
  server_calls& calls_;
  request_table<server_question> under_way_;
};

/// Answers a request of the server with an internal error.
void refuse_question(std::string_view id, std::string_view why, server_effects& out);

/// What passes between the users of one server and the server itself, while it is there.
class server_relay {
public:
  /// All three outlive this.
  server_relay(const supervision_rules& rules, server_users& users, server_calls& calls);

  // -- from users ----------------------------------------------------------------------
  /// A request for a server that is ready.
  void pass(user_id user, message&& request, time_point now, server_effects& out);
  void cancel(user_id user, message&& cancelled, time_point now, server_effects& out);
  /// A request to set the log level while the server is not there; false when it is another, or has no known level.
  bool remember_level(user_id user, const message& request, server_effects& out) {
    return levels_.remember(user, request, out);
  }
  void take_user_progress(user_id user, message&& from, time_point now, server_effects& out) {
    questions_.take_progress(user, std::move(from), now, out);
  }
  void take_user_answer(user_id user, message&& from, time_point now, server_effects& out) {
    questions_.take_answer(user, std::move(from), now, out);
  }
  void user_left(user_id user, bool server_is_ready, time_point now, server_effects& out);

  // -- from the server -----------------------------------------------------------------
  /// The answer to a request that was sent to it, other than `initialize`.
  void take_answer(const relayed_call& asked, message&& answer, time_point now, server_effects& out);
  /// `concerns`: see `supervised_server::server_sent`.
  void take_question(message&& request, std::string_view concerns, time_point now, server_effects& out);
  void take_notification(message&& from, std::string_view concerns, time_point now, server_effects& out);
  /// A new server is told what the old one knew.
  void server_ready(time_point now, server_effects& out);
  /// Takes out the requests that never ran at a server that has forgotten its session, to be sent to it again: those
  /// that it was sent, in their order, and those that waited for the end of another.
  kept_requests take_never_ran();
  /// Fails all that is under way.
  void server_lost(std::string_view why, time_point now, server_effects& out);

  // -- ends ----------------------------------------------------------------------------
  /// A request to the server had no answer in time.
  void fail_late(std::uint64_t own, const relayed_call& asked, time_point now, server_effects& out);
  void fail_late_questions(time_point now, server_effects& out) { questions_.fail_late(now, out); }
  /// Forgets all that is under way, and what users have subscribed to or set.
  void clear();

  std::size_t questions() const { return questions_.size(); }
  time_point deadline() const { return questions_.deadline(); }

private:
  std::optional<user_id> one_concerned() const;
  bool take_for_many(const message& from, std::string_view concerns, server_effects& out);

  const supervision_rules& rules_;
  server_users& users_;
  server_calls& calls_;
  server_questions questions_;
  subscription_requests subscriptions_;
  log_level_requests levels_;
};

} // namespace troupe::protocol

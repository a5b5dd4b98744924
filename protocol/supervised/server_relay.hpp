#pragma once

#include "protocol/message/message.hpp"
#include "protocol/supervised/log_level_requests.hpp"
#include "protocol/supervised/server_calls.hpp"
#include "protocol/supervised/server_effects.hpp"
#include "protocol/supervised/server_questions.hpp"
#include "protocol/supervised/server_users.hpp"
#include "protocol/supervised/subscription_requests.hpp"
#include "protocol/supervised/supervision_rules.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace troupe::protocol {

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

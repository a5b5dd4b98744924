#include "protocol/supervised/server_relay.hpp"

#include "protocol/message/message.hpp"
#include "protocol/message/request_envelope.hpp"
#include "protocol/time.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace troupe::protocol {

using call_kind = relayed_call::kind;

namespace {

/// The level of the log messages that a request to a server of 2026-07-28 asks for.
std::optional<severity> level_asked(const message& request, const envelope_of_user& envelope) {
  if (!request.claims_modern)
    return envelope ? envelope->level() : std::nullopt;
  auto token = find_member(request.text, {"params", "_meta", meta_key::log_level});
  return token ? read_severity(string_value(*token).value_or("")) : std::nullopt;
}

} // namespace

server_relay::server_relay(const supervision_rules& rules, server_users& users, server_calls& calls)
    : rules_{rules}, users_{users}, calls_{calls}, questions_{rules, calls},
      subscriptions_{rules, users, calls}, levels_{rules, users, calls} {}

// -- from users ----------------------------------------------------------------------------

void server_relay::pass(user_id user, message&& request, time_point now, server_effects& out) {
  if (auto why = rules_.tools.refuse(request))
    return users_.answer(user, own_message(error_text(request.id, why->code, why->text)), out);
  if (subscription_requests::takes(request))
    return subscriptions_.take(user, std::move(request), now, out);
  if (log_level_requests::takes(request))
    return levels_.take(user, std::move(request), now, out);
  auto is = request.is_method("tools/list") ? call_kind::tools_list : call_kind::relay;
  auto logs = users_.names_each() ? level_asked(request, users_.envelope_of(user)) : std::nullopt;
  calls_.send({.is = is, .user = user, .logs = logs}, std::move(request), now, out, users_.envelope_of(user));
}

void server_relay::cancel(user_id user, message&& cancelled, time_point now, server_effects& out) {
  auto own = calls_.own_id_of(user, cancelled.reference);
  if (!own && !subscriptions_.withdraw(user, cancelled.reference))
    return;
  users_.request_ended(user);
  if (!own || subscriptions_.cancel(*own))
    return;
  calls_.cancel(*own, now);
  out.push_back(tell_server{relayed(std::move(cancelled), {}, std::to_string(*own))});
}

void server_relay::user_left(user_id user, bool server_is_ready, time_point now, server_effects& out) {
  calls_.user_left(user, now, out);
  questions_.user_left(user, now, out);
  subscriptions_.user_left(user, now, out);
  levels_.user_left(user);
  if (server_is_ready)
    levels_.tell_news(now, out);
}

// -- answers of the server -----------------------------------------------------------------

void server_relay::take_answer(const relayed_call& asked, message&& answer, time_point now, server_effects& out) {
  switch (asked.is) {
  case call_kind::relay:
    replace_ids(answer, asked.id, {});
    return users_.answer(asked.user, std::move(answer), out);
  case call_kind::tools_list:
    return users_.answer(asked.user, relayed(rules_.tools.filtered(std::move(answer)), asked.id, {}), out);
  case call_kind::log_level:
    return levels_.take_answer(asked, answer, now, out);
  case call_kind::subscription:
  case call_kind::ours:
    return subscriptions_.take_answer(asked, answer, now, out);
  case call_kind::initialize:
    return;
  }
}

void server_relay::fail_late(std::uint64_t own, const relayed_call& asked, time_point now, server_effects& out) {
  auto limit = now >= asked.cap ? rules_.request_cap : rules_.request;
  auto why = "The MCP server did not answer within " + seconds_text(limit);
  if (asked.has_user())
    users_.fail(asked.user, asked.id, why, out);
  calls_.cancelled(own, asked, now);
  out.push_back(tell_server{own_message(cancelled_text(std::to_string(own), "timeout"))});
  subscriptions_.timed_out(asked, why, now, out);
}

// -- what the server says by itself --------------------------------------------------------

/// A server that is shared does not say on whose behalf it asks: that is certain only while it works for one user.
std::optional<user_id> server_relay::one_concerned() const {
  if (!rules_.dedicated)
    return calls_.only_user();
  return users_.empty() ? std::nullopt : std::optional{users_.all().begin()->first};
}

void server_relay::take_question(message&& request, std::string_view concerns, time_point now, server_effects& out) {
  if (auto user = concerns.empty() ? one_concerned() : calls_.user_of(concerns))
    return questions_.ask(*user, std::move(request), now, out);
  refuse_question(request.id, "It is not plain which client this is for: " + std::string{calls_.why_no_only_user()},
                  out);
}

void server_relay::take_notification(message&& from, std::string_view concerns, time_point now, server_effects& out) {
  if (from.is_method("notifications/progress"))
    return calls_.take_progress(std::move(from), now, out);
  if (from.is_method("notifications/cancelled"))
    return questions_.withdraw(std::move(from), now, out);
  if (!rules_.dedicated && take_for_many(from, concerns, out))
    return;
  if (auto user = one_concerned())
    out.push_back(tell_user{*user, std::move(from)});
}

/// What a shared server says to no user in particular. Its users are shown no tasks.
bool server_relay::take_for_many(const message& from, std::string_view concerns, server_effects& out) {
  if (from.method.ends_with("/list_changed"))
    users_.tell_greeted(from, out);
  else if (from.is_method("notifications/resources/updated"))
    subscriptions_.publish(from, out);
  else if (from.is_method("notifications/message"))
    levels_.publish(from, concerns, out);
  else
    return from.method.starts_with("notifications/tasks");
  return true;
}

// -- a new server, and the end of one ------------------------------------------------------

void server_relay::server_ready(time_point now, server_effects& out) {
  levels_.tell_news(now, out);
  subscriptions_.server_ready(now, out);
}

kept_requests server_relay::take_never_ran() {
  auto result = calls_.take_kept();
  std::ranges::move(subscriptions_.take_all_waiting(), std::back_inserter(result));
  return result;
}

void server_relay::server_lost(std::string_view why, time_point now, server_effects& out) {
  for (auto& [own, asked] : calls_.take_all())
    if (asked.has_user())
      users_.fail(asked.user, asked.id, why, out, {call_outcome::kind::lost});
  subscriptions_.server_lost(why, now, out);
  questions_.server_lost(out);
  levels_.server_lost();
}

void server_relay::clear() {
  calls_.take_all();
  questions_.clear();
  subscriptions_.clear();
  levels_.clear();
}

} // namespace troupe::protocol

#include "protocol/supervised/server_relay.hpp"

#include "protocol/message/request_envelope.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace troupe::protocol {

using call_kind = relayed_call::kind;

namespace {

std::string level_params(severity level) { return R"({"level":")" + std::string{name_of(level)} + R"("})"; }

std::optional<severity> level_param(const message& one) { return read_severity(string_param(one, "level")); }

/// Returns the log level that a request to a stateless (2026-07-28) server asks for.
std::optional<severity> level_asked(const message& request, const envelope_of_user& envelope) {
  if (!request.claims_modern)
    return envelope ? envelope->level() : std::nullopt;
  return read_severity(string_member(request.text, {"params", "_meta", meta_key::log_level}));
}

} // namespace

void log_level_requests::receive_request(user_id user, message&& request, time_point now, server_effects& out) {
  auto level = level_param(request);
  if (!level && rules_.dedicated)
    return calls_.send({.user = user}, std::move(request), now, out);
  if (!level)
    return users_.answer(user, gateway_message(error_text(request.id, error_code::invalid_params, "Unknown log level")),
                         out);
  set(user, *level);
  if (users_.names_each())
    return calls_.send({.is = relayed_call::kind::log_level, .user = user}, std::move(request), now, out,
                       users_.envelope_of(user));
  auto level_change = all_.level_change();
  if (rules_.dedicated || level_change == level)
    return calls_.send({.is = relayed_call::kind::log_level, .user = user}, std::move(request), now, out);
  if (level_change)
    calls_.send_ours({}, "logging/setLevel", level_params(*level_change), now, out);
  users_.answer(user, gateway_message(empty_result(request.id)), out);
}

bool log_level_requests::remember(user_id user, const message& request, server_effects& out) {
  auto level = handles(request) ? level_param(request) : std::nullopt;
  if (!level)
    return false;
  set(user, *level);
  users_.answer(user, gateway_message(empty_result(request.id)), out);
  return true;
}

void log_level_requests::set(user_id user, severity level) {
  all_.set(user, level);
  users_.set_level(user, level);
}

/// Forgets a level that the server refuses, and sends the most verbose of the other users' levels again.
void log_level_requests::receive_response(const relayed_call& asked, const message& answer, time_point now,
                                          server_effects& out) {
  users_.answer(asked.user, relayed(answer, asked.id, {}), out);
  if (has_result(answer))
    return;
  all_.forget(asked.user);
  users_.set_level(asked.user, std::nullopt);
  all_.untold();
  send_level_change(now, out);
}

void log_level_requests::send_level_change(time_point now, server_effects& out) {
  if (users_.names_each())
    return;
  if (auto level_change = all_.level_change())
    calls_.send_ours({}, "logging/setLevel", level_params(*level_change), now, out);
}

void log_level_requests::publish(const message& log, std::string_view concerns, server_effects& out) const {
  auto level = level_param(log);
  if (users_.names_each()) {
    if (auto user = concerns.empty() ? calls_.only_log_receiver(level) : calls_.log_receiver(concerns, level))
      out.push_back(send_to_user{*user, log});
    return;
  }
  for (auto& [user, of] : users_.all())
    if (of.greeted && (!level || all_.passes(user, *level)))
      out.push_back(send_to_user{user, log});
}

void reject_server_request(std::string_view id, std::string_view why, server_effects& out) {
  out.push_back(send_to_server{gateway_message(error_text(id, error_code::internal_error, why))});
}

void server_questions::ask(user_id user, message&& from, time_point now, server_effects& out) {
  auto is_of_user = [&](auto& one) { return one.receiver == user; };
  if (under_way_.size() >= rules_.questions && under_way_.ids_where(is_of_user).size() >= rules_.questions)
    return reject_server_request(from.id, "Too many requests wait for the client", out);
  auto deadline = now + std::min(rules_.question, rules_.request_cap);
  under_way_.add({.receiver = user, .deadline = deadline, .cap = now + rules_.request_cap}, from);
  calls_.await_user(user, now);
  out.push_back(send_to_user{user, std::move(from)});
}

void server_questions::withdraw(message&& cancelled, time_point now, server_effects& out) {
  auto asked = under_way_.cancelled(0, cancelled);
  if (!asked)
    return;
  calls_.question_over(asked->receiver, now);
  out.push_back(send_to_user{asked->receiver, std::move(cancelled)});
}

void server_questions::receive_response(user_id user, message&& from, time_point now, server_effects& out) {
  auto asked = under_way_.find(from.id);
  if (!asked || asked->receiver != user)
    return;
  under_way_.answered(from);
  calls_.question_over(user, now);
  out.push_back(send_to_server{std::move(from)});
}

void server_questions::receive_progress(user_id user, message&& from, time_point now, server_effects& out) {
  auto asked = under_way_.find(from.reference);
  if (asked && asked->receiver == user && under_way_.progressed(from, now + rules_.question))
    out.push_back(send_to_server{std::move(from)});
}

void server_questions::user_disconnected(user_id user, time_point now, server_effects& out) {
  for (auto own : under_way_.ids_where([&](auto& one) { return one.receiver == user; })) {
    reject_server_request(under_way_.extract(own)->id, "The client left", out);
    calls_.question_over(user, now);
  }
}

void server_questions::fail_late(time_point now, server_effects& out) {
  for (auto& [own, asked] : under_way_.extract_late(now)) {
    calls_.question_over(asked.receiver, now);
    reject_server_request(asked.id, "The client did not answer in time", out);
    out.push_back(send_to_user{asked.receiver, cancellation_of(own, "timeout")});
  }
}

void server_questions::server_lost(server_effects& out) {
  for (auto& [own, asked] : under_way_.extract_all())
    out.push_back(send_to_user{asked.receiver, cancellation_of(own, "the MCP server stopped")});
}

server_relay::server_relay(const supervision_rules& rules, server_users& users, server_calls& calls)
    : rules_{rules}, users_{users}, calls_{calls}, questions_{rules, calls},
      subscriptions_{rules, users, calls}, levels_{rules, users, calls} {}

// -- from users ----------------------------------------------------------------------------

void server_relay::pass(user_id user, message&& request, time_point now, server_effects& out) {
  if (auto why = rules_.tools.refuse(request))
    return users_.answer(user, gateway_message(error_text(request.id, why->code, why->text)), out);
  if (subscription_requests::handles(request))
    return subscriptions_.receive_request(user, std::move(request), now, out);
  if (log_level_requests::handles(request))
    return levels_.receive_request(user, std::move(request), now, out);
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
  out.push_back(send_to_server{relayed(std::move(cancelled), {}, std::to_string(*own))});
}

void server_relay::user_disconnected(user_id user, bool server_is_ready, time_point now, server_effects& out) {
  calls_.user_disconnected(user, now, out);
  questions_.user_disconnected(user, now, out);
  subscriptions_.user_disconnected(user, now, out);
  levels_.user_disconnected(user);
  if (server_is_ready)
    levels_.send_level_change(now, out);
}

// -- answers of the server -----------------------------------------------------------------

void server_relay::receive_response(const relayed_call& asked, message&& answer, time_point now, server_effects& out) {
  switch (asked.is) {
  case call_kind::relay:
    replace_ids(answer, asked.id, {});
    return users_.answer(asked.user, std::move(answer), out);
  case call_kind::tools_list:
    return users_.answer(asked.user, relayed(rules_.tools.filtered(std::move(answer)), asked.id, {}), out);
  case call_kind::log_level:
    return levels_.receive_response(asked, answer, now, out);
  case call_kind::subscription:
  case call_kind::ours:
    return subscriptions_.receive_response(asked, answer, now, out);
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
  out.push_back(send_to_server{cancellation_of(own, "timeout")});
  subscriptions_.timed_out(asked, why, now, out);
}

// -- requests and notifications of the server ----------------------------------------------

/// A shared server does not name the user that its request is for: certain only while it works for one user.
std::optional<user_id> server_relay::only_concerned_user() const {
  if (!rules_.dedicated)
    return calls_.only_user();
  return users_.empty() ? std::nullopt : std::optional{users_.all().begin()->first};
}

void server_relay::receive_server_request(message&& request, std::string_view concerns, time_point now,
                                          server_effects& out) {
  if (auto user = concerns.empty() ? only_concerned_user() : calls_.user_of(concerns))
    return questions_.ask(*user, std::move(request), now, out);
  reject_server_request(request.id,
                        "It is not plain which client this is for: " + std::string{calls_.why_no_only_user()}, out);
}

void server_relay::receive_notification(message&& from, std::string_view concerns, time_point now,
                                        server_effects& out) {
  if (is_progress(from))
    return calls_.receive_progress(std::move(from), now, out);
  if (is_cancellation(from))
    return questions_.withdraw(std::move(from), now, out);
  if (!rules_.dedicated && receive_for_many(from, concerns, out))
    return;
  if (auto user = only_concerned_user())
    out.push_back(send_to_user{*user, std::move(from)});
}

/// Handles notifications of a shared server that name no user. Drops those about tasks, which its users cannot see.
bool server_relay::receive_for_many(const message& from, std::string_view concerns, server_effects& out) {
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
  levels_.send_level_change(now, out);
  subscriptions_.server_ready(now, out);
}

kept_requests server_relay::extract_never_ran() {
  auto result = calls_.extract_kept();
  std::ranges::move(subscriptions_.extract_all_waiting(), std::back_inserter(result));
  return result;
}

void server_relay::server_lost(std::string_view why, time_point now, server_effects& out) {
  for (auto& [own, asked] : calls_.extract_all())
    if (asked.has_user())
      users_.fail(asked.user, asked.id, why, out, {call_outcome::kind::lost});
  subscriptions_.server_lost(why, now, out);
  questions_.server_lost(out);
  levels_.server_lost();
}

void server_relay::clear() {
  calls_.extract_all();
  questions_.clear();
  subscriptions_.clear();
  levels_.clear();
}

} // namespace troupe::protocol

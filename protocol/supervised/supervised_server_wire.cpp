// What the server says: another third of `supervised_server`.

#include "protocol/supervised/supervised_server.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

/// With more calls than this that were left behind, nothing that a shared server asks is plain.
constexpr std::size_t most_forsaken = 1000;

/// What a server asks this long after a call was cancelled may still be for it.
constexpr auto time_to_let_go = std::chrono::seconds{30};

bool succeeded(const message& answer) { return find_member(answer.text, {"result"}).has_value(); }

subscriptions::outcome outcome_of(const message& answer) {
  return succeeded(answer) ? subscriptions::outcome::granted : subscriptions::outcome::refused;
}

} // namespace

server_effects supervised_server::server_sent(message from, time_point now) {
  server_effects out;
  if (!wired())
    return out;
  if (from.kind == message_kind::response)
    take_answer(std::move(from), now, out);
  else if (from.kind == message_kind::notification)
    take_server_notification(std::move(from), now, out);
  else if (from.method == "ping")
    out.push_back(tell_server{made(empty_result(from.id))});
  else
    take_question(std::move(from), now, out);
  return out;
}

// -- answers ------------------------------------------------------------------------

void supervised_server::take_answer(message&& from, time_point now, server_effects& out) {
  auto own = own_id(from.id);
  auto asked = own ? calls_.take(*own) : std::nullopt;
  if (own)
    forsaken_.erase(*own);
  if (!asked)
    return;
  switch (asked->is) {
  case purpose::initialize:
    return take_greeting(std::move(from), now, out);
  case purpose::relay:
    relabel(from, asked->id, {});
    return answer(asked->user, std::move(from), out);
  case purpose::tools_list:
    return answer(asked->user, relayed(rules_.tools.filtered(std::move(from)), asked->id, {}), out);
  case purpose::log_level:
    return take_level_answer(*asked, from, now, out);
  case purpose::subscription:
  case purpose::ours:
    return take_subscription_answer(*asked, from, now, out);
  }
}

void supervised_server::take_level_answer(const relayed_call& asked, const message& from, time_point now,
                                          server_effects& out) {
  answer(asked.user, relayed(from, asked.id, {}), out);
  if (succeeded(from))
    return;
  levels_.forget(asked.user);
  levels_.untold();
  tell_level_news(now, out);
}

void supervised_server::take_subscription_answer(const relayed_call& asked, const message& from, time_point now,
                                                 server_effects& out) {
  auto has_asker = asked.is == purpose::subscription;
  if (has_asker)
    answer(asked.user, relayed(from, asked.id, {}), out);
  if (!has_asker || !rules_.dedicated)
    return carry_out(subscriptions_.answered(asked.uri, outcome_of(from)), now, out, from);
  if (!succeeded(from))
    return;
  if (asked.subscribes)
    subscriptions_.remember(asked.user, asked.uri);
  else
    subscriptions_.forget(asked.user, asked.uri);
}

void supervised_server::carry_out(subscription_steps steps, time_point now, server_effects& out,
                                  const message& failure) {
  struct performer {
    void operator()(pass_subscription& it) {
      auto subscribes = it.what.method == "resources/subscribe";
      relayed_call one{
          .is = purpose::subscription, .user = it.user, .uri = std::move(it.uri), .subscribes = subscribes};
      self.send(std::move(one), std::move(it.what), now, out);
    }
    void operator()(ask_subscription& it) {
      auto method = it.subscribes ? "resources/subscribe" : "resources/unsubscribe";
      auto params = R"({"uri":)" + quoted(it.uri) + "}";
      self.send_ours({.uri = std::move(it.uri), .subscribes = it.subscribes}, method, params, now, out);
    }
    void operator()(grant_subscription& it) { self.answer(it.user, made(empty_result(it.id)), out); }
    void operator()(fail_subscription& it) { self.answer(it.user, relayed(failure, it.id, {}), out); }

    supervised_server& self;
    time_point now;
    server_effects& out;
    const message& failure;
  };
  for (auto& step : steps)
    std::visit(performer{*this, now, out, failure}, step);
}

void supervised_server::tell_level_news(time_point now, server_effects& out) {
  if (auto news = levels_.news())
    send_ours({}, "logging/setLevel", R"({"level":")" + std::string{name_of(*news)} + R"("})", now, out);
}

// -- questions ------------------------------------------------------------------------

/// A server that is shared does not say on whose behalf it asks; it is plain only when it is at one user's calls, and
/// was at nobody else's that it may not have let go of.
std::optional<user_id> supervised_server::one_concerned() const {
  if (rules_.dedicated)
    return users_.empty() ? std::nullopt : std::optional{users_.begin()->first};
  auto user = calls_.only_user();
  auto is_anothers = [&](auto& one) { return one.second.user != *user; };
  if (!user || forsaken_.size() >= most_forsaken || std::any_of(forsaken_.begin(), forsaken_.end(), is_anothers))
    return std::nullopt;
  return user;
}

/// A server may ask on behalf of a call yet when that is cancelled, and those that heed it never answer the call.
void supervised_server::forsake(std::uint64_t own, const relayed_call& one, time_point now) {
  if (!rules_.dedicated && one.is == purpose::relay && forsaken_.size() < most_forsaken)
    forsaken_.emplace(own, forsaken_call{one.user, now + time_to_let_go});
}

void supervised_server::take_question(message&& from, time_point now, server_effects& out) {
  auto refuse = [&](std::string_view why) {
    out.push_back(tell_server{made(error_text(from.id, error_code::internal_error, why))});
  };
  auto to = one_concerned();
  if (!to)
    return refuse("It is not plain which client this is for: not exactly one has a request in flight");
  if (questions_.size() >= rules_.questions)
    return refuse("Too many requests wait for clients");
  relayed_call one{.user = *to, .id = from.id, .token = from.reference};
  one.deadline = now + std::min(rules_.question, rules_.request_cap);
  one.cap = now + rules_.request_cap;
  auto own = std::to_string(questions_.add(std::move(one)));
  out.push_back(tell_user{*to, relayed(std::move(from), own, own)});
}

void supervised_server::withdraw_question(message&& from, server_effects& out) {
  auto own = questions_.own_id_of(from.reference);
  if (!own)
    return;
  auto asked = questions_.take(*own);
  out.push_back(tell_user{asked->user, relayed(std::move(from), {}, std::to_string(*own))});
}

// -- notifications ------------------------------------------------------------------------

void supervised_server::take_server_notification(message&& from, time_point now, server_effects& out) {
  if (from.method == "notifications/progress")
    return take_progress(std::move(from), now, out);
  if (from.method == "notifications/cancelled")
    return withdraw_question(std::move(from), out);
  if (!rules_.dedicated && from.method.ends_with("/list_changed"))
    return tell_told(from, out);
  if (!rules_.dedicated && from.method == "notifications/resources/updated")
    return publish_update(from, out);
  if (!rules_.dedicated && from.method == "notifications/message")
    return publish_log(from, out);
  if (!rules_.dedicated && from.method.starts_with("notifications/tasks/"))
    return;
  if (auto to = one_concerned())
    out.push_back(tell_user{*to, std::move(from)});
}

void supervised_server::take_progress(message&& from, time_point now, server_effects& out) {
  auto own = own_id(from.reference);
  auto asked = own ? calls_.find(*own) : nullptr;
  if (!asked || asked->token.empty())
    return;
  relabel(from, {}, asked->token);
  out.emplace_back(tell_user{asked->user, std::move(from)});
  calls_.postpone(*own, now + rules_.request);
}

void supervised_server::publish_update(const message& from, server_effects& out) {
  auto uri = find_member(from.text, {"params", "uri"});
  for (auto user : subscriptions_.subscribers(uri ? string_value(*uri).value_or("") : ""))
    out.push_back(tell_user{user, from});
}

void supervised_server::publish_log(const message& from, server_effects& out) {
  auto token = find_member(from.text, {"params", "level"});
  auto level = read_severity(token ? string_value(*token).value_or("") : "");
  for (auto& [user, of] : users_)
    if (of.told && (!level || levels_.passes(user, *level)))
      out.push_back(tell_user{user, from});
}

} // namespace troupe::protocol

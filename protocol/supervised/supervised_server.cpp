// What users say: one third of `supervised_server`.

#include "protocol/supervised/supervised_server.hpp"

#include "protocol/longest_subscribed_uri.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

bool is_subscription(const message& one) {
  return one.method == "resources/subscribe" || one.method == "resources/unsubscribe";
}

std::string param_of(const message& one, std::string_view name) {
  auto token = find_member(one.text, {"params", name});
  return token ? string_value(*token).value_or("") : "";
}

bool is_of_tasks(const message& request) {
  return request.method.starts_with("tasks/") || find_member(request.text, {"params", "task"});
}

} // namespace

supervised_server::supervised_server(supervision_rules rules, std::uint64_t seed)
    : rules_{std::move(rules)}, restarts_{rules_.restarts, seed}, subscriptions_{rules_.subscriptions} {}

server_effects supervised_server::user_sent(user_id user, message from, time_point now) {
  server_effects out;
  if (!knows(user, from)) {
    if (from.kind == message_kind::request)
      fail(user, from.id, "The MCP server is not there for this: initialize comes first", out);
    return out;
  }
  users_.try_emplace(user);
  if (from.kind == message_kind::request)
    take_request(user, std::move(from), now, out);
  else if (from.kind == message_kind::notification)
    take_notification(user, std::move(from), now, out);
  else
    take_user_answer(user, std::move(from), out);
  return out;
}

/// What a user says after its end makes it no user again; and a dedicated server has one.
bool supervised_server::knows(user_id user, const message& from) const {
  if (users_.contains(user))
    return true;
  if (from.kind != message_kind::request || (rules_.dedicated && !users_.empty()))
    return false;
  return from.method == "initialize" || status_.is != phase::idle;
}

// -- requests ----------------------------------------------------------------------

void supervised_server::take_request(user_id user, message&& from, time_point now, server_effects& out) {
  if (from.method == "ping")
    return out.push_back(tell_user{user, made(empty_result(from.id))});
  auto& of = users_.at(user);
  ++of.calls;
  if (of.calls > rules_.calls)
    return fail(user, from.id, "Too many requests to the MCP server are in flight", out);
  if (from.method == "initialize")
    return take_initialize(user, std::move(from), now, out);
  if (!rules_.dedicated && is_of_tasks(from))
    return answer(user, made(error_text(from.id, error_code::method_not_found, "A shared server offers no tasks")),
                  out);
  if (status_.is == phase::ready)
    return pass(user, std::move(from), now, out);
  if (status_.is == phase::starting)
    return hold(user, std::move(from), out);
  if (!down() || !remember_level(user, from, out))
    fail(user, from.id, why_down(now), out);
}

/// A level that was chosen while the server is not there is told to it when it is back.
bool supervised_server::remember_level(user_id user, const message& from, server_effects& out) {
  auto level = from.method == "logging/setLevel" ? read_severity(param_of(from, "level")) : std::nullopt;
  if (!level)
    return false;
  levels_.set(user, *level);
  answer(user, made(empty_result(from.id)), out);
  return true;
}

void supervised_server::take_initialize(user_id user, message&& from, time_point now, server_effects& out) {
  auto& of = users_.at(user);
  if (status_.is == phase::idle && now < not_before_)
    pause_on(now, out);
  of.told = status_.is == phase::ready || down();
  if (status_.is == phase::ready)
    return answer(user, made(greeting_.answer_to(from)), out);
  if (down())
    return fail(user, from.id, why_down(now), out);
  auto first = status_.is == phase::idle;
  if (first && rules_.dedicated)
    users_initialize_ = from;
  hold(user, std::move(from), out);
  if (first)
    begin(now, out);
}

/// What waits for the server to start; it waits no longer than the start may take.
void supervised_server::hold(user_id user, message&& from, server_effects& out) {
  auto& of = users_.at(user);
  auto bytes = from.text.size();
  auto too_long = waiting_bytes_ + bytes > rules_.waiting_bytes && from.method != "initialize";
  if (of.waiting >= rules_.calls || too_long) {
    of.told = of.told || from.method == "initialize";
    if (from.kind == message_kind::request)
      fail(user, from.id, "Too much waits for the MCP server to start", out);
    return;
  }
  ++of.waiting;
  waiting_bytes_ += bytes;
  waiting_.push_back({user, std::move(from)});
}

/// A request for a server that is ready.
void supervised_server::pass(user_id user, message&& from, time_point now, server_effects& out) {
  if (from.method == "tools/call" && !rules_.tools.allows_call(from))
    return answer(user, made(error_text(from.id, error_code::invalid_params, "Unknown tool: " + called_tool(from))),
                  out);
  if (is_subscription(from))
    return pass_subscription_of(user, std::move(from), now, out);
  if (from.method == "logging/setLevel")
    return pass_level(user, std::move(from), now, out);
  auto is = from.method == "tools/list" ? purpose::tools_list : purpose::relay;
  send({.is = is, .user = user}, std::move(from), now, out);
}

/// A URI that the server will refuse anyway is its own business.
void supervised_server::pass_subscription_of(user_id user, message&& from, time_point now, server_effects& out) {
  auto uri = param_of(from, "uri");
  auto subscribes = from.method == "resources/subscribe";
  if (uri.empty())
    return send({.user = user}, std::move(from), now, out);
  if (uri.size() > longest_subscribed_uri)
    return answer(
        user, made(error_text(from.id, error_code::invalid_params, "The URI is too long to be subscribed to")), out);
  if (subscribes && subscriptions_.full(user))
    return fail(user, from.id, "Too many resources are subscribed to", out);
  if (rules_.dedicated)
    return send({.is = purpose::subscription, .user = user, .uri = uri, .subscribes = subscribes}, std::move(from), now,
                out);
  carry_out(subscriptions_.asked(user, std::move(from), uri), now, out);
}

/// The server is told only of the most verbose level of all.
void supervised_server::pass_level(user_id user, message&& from, time_point now, server_effects& out) {
  auto level = read_severity(param_of(from, "level"));
  if (!level && rules_.dedicated)
    return send({.user = user}, std::move(from), now, out);
  if (!level)
    return answer(user, made(error_text(from.id, error_code::invalid_params, "Unknown log level")), out);
  levels_.set(user, *level);
  auto news = levels_.news();
  if (rules_.dedicated || news == level)
    return send({.is = purpose::log_level, .user = user}, std::move(from), now, out);
  if (news)
    send_ours({}, "logging/setLevel", R"({"level":")" + std::string{name_of(*news)} + R"("})", now, out);
  answer(user, made(empty_result(from.id)), out);
}

void supervised_server::send(relayed_call one, message&& from, time_point now, server_effects& out) {
  one.id = from.id;
  one.token = from.reference;
  one.deadline = now + std::min(rules_.request, rules_.request_cap);
  one.cap = now + rules_.request_cap;
  auto own = std::to_string(calls_.add(std::move(one)));
  relabel(from, own, own);
  out.emplace_back(tell_server{std::move(from)});
}

void supervised_server::send_ours(relayed_call one, std::string_view method, std::string_view params, time_point now,
                                  server_effects& out) {
  one.is = purpose::ours;
  auto text = R"({"jsonrpc":"2.0","id":0,"method":")" + std::string{method} + R"(","params":)" + std::string{params};
  send(std::move(one), made(text + "}"), now, out);
}

// -- notifications --------------------------------------------------------------------

void supervised_server::take_notification(user_id user, message&& from, time_point now, server_effects& out) {
  if (from.method == "notifications/cancelled")
    return cancel(user, std::move(from), now, out);
  if (from.method == "notifications/progress")
    return take_user_progress(user, std::move(from), now, out);
  if (from.method == "notifications/initialized")
    return take_initialized(std::move(from), out);
  // The gateway's own initialize declares no roots.
  if (!rules_.dedicated && from.method == "notifications/roots/list_changed")
    return;
  if (status_.is == phase::starting)
    hold(user, std::move(from), out);
  else if (status_.is == phase::ready)
    out.push_back(tell_server{std::move(from)});
}

/// The server is told once, whoever tells it.
void supervised_server::take_initialized(message&& from, server_effects& out) {
  if (status_.is != phase::ready || std::exchange(initialized_, true))
    return;
  out.push_back(tell_server{std::move(from)});
}

/// What is asked of the server for several users goes on without the one who cancels.
void supervised_server::cancel(user_id user, message&& from, time_point now, server_effects& out) {
  auto own = calls_.own_id_of(user, from.reference);
  if (!own) {
    if (cancel_waiting(user, from.reference) || subscriptions_.withdrawn(user, from.reference))
      --users_.at(user).calls;
    return;
  }
  --users_.at(user).calls;
  auto asked = calls_.find(*own);
  if (asked->is == purpose::subscription && !rules_.dedicated) {
    subscriptions_.abandoned(user, asked->uri);
    return calls_.disown(*own);
  }
  forsake(*own, *asked, now);
  calls_.take(*own);
  out.push_back(tell_server{relayed(std::move(from), {}, std::to_string(*own))});
}

/// `initialize` cannot be cancelled (2025-11-25, cancellation, "Behavior Requirements" 2).
bool supervised_server::cancel_waiting(user_id user, const std::string& id) {
  auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](auto& one) {
    return one.user == user && one.what.kind == message_kind::request && one.what.id == id;
  });
  if (found == waiting_.end() || found->what.method == "initialize")
    return false;
  waiting_bytes_ -= found->what.text.size();
  --users_.at(user).waiting;
  waiting_.erase(found);
  return true;
}

void supervised_server::take_user_progress(user_id user, message&& from, time_point now, server_effects& out) {
  auto own = own_id(from.reference);
  auto question = own ? questions_.find(*own) : nullptr;
  if (!question || question->user != user || question->token.empty())
    return;
  out.push_back(tell_server{relayed(std::move(from), {}, question->token)});
  questions_.postpone(*own, now + rules_.question);
}

void supervised_server::take_user_answer(user_id user, message&& from, server_effects& out) {
  auto own = own_id(from.id);
  auto question = own ? questions_.find(*own) : nullptr;
  if (question && question->user == user)
    out.push_back(tell_server{relayed(std::move(from), questions_.take(*own)->id, {})});
}

// -- the end of a user ---------------------------------------------------------------------

server_effects supervised_server::user_left(user_id user, time_point now) {
  server_effects out;
  if (users_.erase(user) == 0)
    return out;
  if (rules_.dedicated) {
    end_dedicated(out);
    return out;
  }
  auto is_its = [&](auto& one) { return one.user == user; };
  for (auto& one : waiting_)
    waiting_bytes_ -= is_its(one) ? one.what.text.size() : 0;
  std::erase_if(waiting_, is_its);
  leave_calls(user, now, out);
  carry_out(subscriptions_.left(user), now, out);
  levels_.forget(user);
  if (status_.is == phase::ready)
    tell_level_news(now, out);
  if (down() && users_.empty() && !warm_)
    go_idle(out);
  return out;
}

/// Nobody waits for its calls any more, nor answers what it was asked. What is asked for several users goes on.
void supervised_server::leave_calls(user_id user, time_point now, server_effects& out) {
  for (auto own : calls_.of(user)) {
    if (calls_.find(own)->is == purpose::subscription) {
      calls_.disown(own);
      continue;
    }
    auto asked = *calls_.take(own);
    forsake(own, asked, now);
    out.push_back(tell_server{made(cancelled_text(std::to_string(own), "the client left"))});
  }
  for (auto own : questions_.of(user))
    out.push_back(
        tell_server{made(error_text(questions_.take(own)->id, error_code::internal_error, "The client left"))});
}

// -- answers to users --------------------------------------------------------------------

void supervised_server::answer(user_id user, message&& what, server_effects& out) {
  if (auto of = users_.find(user); of != users_.end() && of->second.calls > 0)
    --of->second.calls;
  out.emplace_back(tell_user{user, std::move(what)});
}

void supervised_server::fail(user_id user, std::string_view id, std::string_view why, server_effects& out) {
  answer(user, made(error_text(id, error_code::internal_error, why)), out);
}

void supervised_server::tell_told(const message& what, server_effects& out) {
  out.reserve(out.size() + users_.size());
  for (auto& [user, of] : users_)
    if (of.told)
      out.push_back(tell_user{user, what});
}

} // namespace troupe::protocol

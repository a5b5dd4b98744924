#include "protocol/supervised/supervised_server.hpp"

#include "protocol/message/message.hpp"
#include "protocol/message/methods.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

/// Cheap test before parsing: most requests do not contain the word, unless escaped, and few contain its last letter.
bool may_name_task(std::string_view text) {
  for (auto last = text.find('k'); last != text.npos; last = text.find('k', last + 1))
    if (text.substr(0, last).ends_with("tas"))
      return true;
  return text.find("\\u") != text.npos;
}

bool is_of_tasks(const message& request) {
  return may_be_of(request.method, "tasks") ||
         (may_name_task(request.text) && find_member(request.text, {"params", "task"}));
}

} // namespace

supervised_server::supervised_server(supervision_rules rules, std::uint64_t seed)
    : rules_{std::move(rules)}, life_{rules_.restarts, seed}, calls_{rules_}, relay_{rules_, users_, calls_},
      start_{rules_, users_, calls_, relay_} {}

// -- from users ----------------------------------------------------------------------------

server_effects supervised_server::user_sent(user_id user, message&& from, time_point now) {
  server_effects out;
  if (!knows(user, from)) {
    if (is_request(from))
      users_.fail(user, from.id, "The MCP server is not there for this: initialize comes first", out);
    return out;
  }
  users_.add(user);
  if (is_request(from))
    receive_request(user, std::move(from), now, out);
  else if (is_notification(from))
    receive_notification(user, std::move(from), now, out);
  else
    relay_.receive_user_response(user, std::move(from), now, out);
  return out;
}

/// Whether the sender is a user, or becomes one by this message. Only a request does that, so that late messages of a
/// user that left do not bring it back. A dedicated server has no second user.
bool supervised_server::knows(user_id user, const message& from) const {
  if (users_.contains(user))
    return true;
  if (!is_request(from) || (rules_.dedicated && !users_.empty()))
    return false;
  return is_initialize(from) || !life_.is(phase::idle);
}

void supervised_server::receive_request(user_id user, message&& from, time_point now, server_effects& out) {
  if (from.is_method("ping"))
    return out.push_back(send_to_user{user, gateway_message(empty_result(from.id))});
  if (users_.request_came(user) > rules_.calls)
    return users_.fail(user, from.id, "Too many requests to the MCP server are in flight", out);
  if (is_initialize(from))
    return receive_initialize(user, std::move(from), now, out);
  if (!rules_.dedicated && !users_.names_each() && is_of_tasks(from)) {
    std::string_view why = "A shared server offers no tasks";
    return users_.answer(user, gateway_message(error_text(from.id, error_code::method_not_found, why)), out);
  }
  if (life_.is(phase::ready))
    return relay_.pass(user, std::move(from), now, out);
  if (life_.is(phase::starting))
    return start_.hold(user, std::move(from), out);
  if (!life_.down() || !relay_.remember_level(user, from, out))
    users_.fail(user, from.id, life_.why_absent(now), out);
}

void supervised_server::receive_initialize(user_id user, message&& from, time_point now, server_effects& out) {
  if (life_.is(phase::idle) && !life_.may_start(now))
    life_.pause(now, out);
  auto rests = life_.down() && !life_.may_start(now);
  users_.set_greeted(user, life_.is(phase::ready) || rests);
  if (life_.is(phase::ready))
    return start_.answer_initialize(user, from, out);
  if (rests)
    return users_.fail(user, from.id, life_.why_absent(now), out);
  auto first = !life_.is(phase::starting);
  if (first)
    start_.use(from);
  start_.hold(user, std::move(from), out);
  if (first)
    begin(now, out);
}

/// Drops changes of roots for a shared server, since the gateway's own `initialize` declares no roots.
void supervised_server::receive_notification(user_id user, message&& from, time_point now, server_effects& out) {
  if (!is_client_notification(from))
    return;
  if (is_cancellation(from))
    return cancel(user, std::move(from), now, out);
  if (is_progress(from))
    return relay_.receive_user_progress(user, std::move(from), now, out);
  if (!rules_.dedicated && from.is_method("notifications/roots/list_changed"))
    return;
  if (life_.is(phase::starting))
    start_.hold(user, std::move(from), out);
  else if (life_.is(phase::ready))
    start_.pass(std::move(from), out);
}

void supervised_server::cancel(user_id user, message&& from, time_point now, server_effects& out) {
  if (!start_.withdraw(user, from.reference))
    relay_.cancel(user, std::move(from), now, out);
}

server_effects supervised_server::user_disconnected(user_id user, time_point now) {
  server_effects out;
  if (!users_.remove(user))
    return out;
  if (rules_.dedicated) {
    end_dedicated(out);
    return out;
  }
  start_.user_disconnected(user);
  relay_.user_disconnected(user, life_.is(phase::ready), now, out);
  if (life_.down() && users_.empty() && !life_.kept())
    life_.idle(out);
  return out;
}

// -- the server begins ---------------------------------------------------------------------

server_effects supervised_server::warm_up(time_point now) {
  server_effects out;
  if (rules_.dedicated)
    return out;
  life_.keep();
  if (life_.is(phase::idle))
    begin(now, out);
  return out;
}

void supervised_server::begin(time_point now, server_effects& out) {
  start_.begin(now, out);
  life_.start(out);
}

server_effects supervised_server::server_sent(message&& from, time_point now, std::string_view concerns) {
  server_effects out;
  if (!life_.is_connected())
    return out;
  if (from.kind == message_kind::response)
    receive_response(std::move(from), now, out);
  else if (is_notification(from))
    relay_.receive_notification(std::move(from), concerns, now, out);
  else if (from.is_method("ping"))
    out.push_back(send_to_server{gateway_message(empty_result(from.id))});
  else
    relay_.receive_server_request(std::move(from), concerns, now, out);
  return out;
}

void supervised_server::receive_response(message&& from, time_point now, server_effects& out) {
  auto asked = calls_.answered(from);
  if (!asked)
    return;
  if (asked->is == relayed_call::kind::initialize)
    return receive_initialize(from, now, out);
  if (asked->has_user())
    life_.answered();
  relay_.receive_response(*asked, std::move(from), now, out);
}

void supervised_server::receive_initialize(const message& from, time_point now, server_effects& out) {
  if (from.is_shortage) {
    auto why = string_member(from.text, {"error", "message"});
    return stop_and_lose({.why = why, .is_shortage = true}, now, out);
  }
  auto took_modern = start_.takes_modern();
  if (auto refused = start_.read_answer(from)) {
    auto is_error = find_member(from.text, {"error"}).has_value();
    return stop_and_lose({.why = refused->why, .refusal = is_error ? &from : nullptr}, now, out);
  }
  if (!may_be_used(took_modern))
    return stop_and_lose({.why = "it speaks another revision than before", .ends_users = true}, now, out);
  settle_sharing(out);
  calls_.keep_requests(rules_.may_forget && !start_.takes_modern());
  life_.ready(now, out);
  start_.complete(from, now, out);
}

/// Users' knowledge of a stateless (2026-07-28) server is wrong for one with sessions, unless the rules allow it. A
/// server that is shared because it was stateless must not serve many users with sessions.
bool supervised_server::may_be_used(bool took_modern) const {
  auto has_many = rules_.shares_modern && !rules_.dedicated;
  auto is_older = took_modern && !rules_.may_become_older;
  return start_.takes_modern() || !(is_older || has_many);
}

void supervised_server::settle_sharing(server_effects& out) {
  if (std::exchange(is_settled_, true) || !rules_.dedicated || !rules_.shares_modern)
    return;
  out.push_back(note_sharing{start_.takes_modern()});
  if (!start_.takes_modern())
    return;
  rules_.dedicated = false;
  rules_.ends_users = rules_.ends_sharing_users;
}

// -- the server ends -----------------------------------------------------------------------

server_effects supervised_server::server_lost(const std::string& why, time_point now, bool is_shortage,
                                              bool is_expired) {
  server_effects out;
  if (life_.is_connected())
    lose({.why = why, .is_shortage = is_shortage, .is_expired = is_expired}, now, out);
  return out;
}

server_effects supervised_server::restart(time_point now) {
  server_effects out;
  if (life_.is_connected())
    stop_and_lose({.why = "an operator restarted it", .is_ordered = true}, now, out);
  life_.forget_failures(now);
  if (life_.down())
    begin(now, out);
  return out;
}

void supervised_server::stop_and_lose(const start_loss& how, time_point now, server_effects& out) {
  out.push_back(stop_server{});
  lose(how, now, out);
}

void supervised_server::lose(const start_loss& how, time_point now, server_effects& out) {
  note_loss(how, now);
  auto ends_users = rules_.ends_users || how.ends_users;
  auto is_unused = ends_users || (users_.empty() && !life_.kept());
  auto goes_on = !is_unused && !how.is_shortage && life_.may_start(now);
  auto never_ran = how.is_expired && goes_on ? relay_.extract_never_ran() : kept_requests{};
  auto failure =
      (how.is_shortage ? "The MCP server cannot be started: " : "The MCP server stopped: ") + life_.status().why;
  start_.fail({failure, how.refusal, how.is_shortage}, out);
  relay_.server_lost(failure, now, out);
  for (auto& [user, what] : never_ran)
    start_.hold(user, std::move(what), out);
  if (ends_users)
    end_users(out);
  if (is_unused)
    life_.idle(out);
  else if (goes_on)
    begin(now, out);
  else
    life_.pause(now, out);
}

void supervised_server::note_loss(const start_loss& how, time_point now) {
  if (how.is_shortage)
    life_.prevented(how.why, now);
  else if (how.is_ordered)
    life_.ended(how.why, now);
  else if (how.is_expired)
    life_.expired(how.why, now);
  else
    life_.lost(how.why, now);
}

void supervised_server::end_users(server_effects& out) {
  for (auto& [user, of] : users_.all())
    out.push_back(end_user{user, life_.status().why});
  forget_everything();
}

void supervised_server::end_dedicated(server_effects& out) {
  forget_everything();
  if (life_.is_connected())
    out.push_back(stop_server{});
  if (!life_.is(phase::idle))
    life_.idle(out);
}

/// Our request ids keep counting, so that a late answer matches no request.
void supervised_server::forget_everything() {
  users_.clear();
  start_.clear();
  relay_.clear();
}

// -- time ----------------------------------------------------------------------------------

server_effects supervised_server::tick(time_point now) {
  server_effects out;
  for (auto& [own, asked] : calls_.extract_late(now))
    if (asked.is == relayed_call::kind::initialize)
      stop_and_lose(
          {.why = "it answered neither initialize nor server/discover within " + seconds_text(rules_.initialize)}, now,
          out);
    else
      relay_.fail_late(own, asked, now, out);
  relay_.fail_late_questions(now, out);
  if (now >= life_.deadline())
    begin(now, out);
  return out;
}

time_point supervised_server::deadline() const {
  return std::min({calls_.deadline(), relay_.deadline(), life_.deadline()});
}

} // namespace troupe::protocol

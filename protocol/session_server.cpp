// What the server says: the other half of `session`.

#include "protocol/era.hpp"
#include "protocol/session.hpp"

#include <utility>

namespace troupe::protocol {

effects session::server_sent(message from, time_point now) {
  effects out;
  if (phase_ == phase::ended)
    return out;
  if (from.kind == message_kind::response)
    take_answer(std::move(from), now, out);
  else if (from.method == "ping" && from.kind == message_kind::request)
    out.push_back(forward{empty_result(from.id)});
  else if (from.kind == message_kind::request)
    take_question(std::move(from), now, out);
  else
    take_server_notification(std::move(from), now, out);
  return out;
}

void session::take_answer(message from, time_point now, effects& out) {
  auto own = own_id(from.id);
  auto asked = own ? calls_.take(*own) : std::nullopt;
  if (!asked)
    return;
  touched_ = now;
  if (phase_ == phase::starting)
    return take_initialize_answer(std::move(from), *asked, out);
  answer(*asked, relayed(std::move(from), asked->id, {}), out);
  end_when_drained(out);
}

/// The session is known to its client only when the server has agreed to it, on a revision that we know.
void session::take_initialize_answer(message from, const call& asked, effects& out) {
  if (!find_member(from.text, {"result"})) {
    answer(asked, relayed(std::move(from), asked.id, {}), out);
    return end("its server refused to initialize", out);
  }
  auto token = find_member(from.text, {"result", "protocolVersion"});
  version_ = token ? string_value(*token).value_or("") : "";
  if (!is_session_version(version_)) {
    std::string why = "The MCP server answered initialize with a protocol version that is not known";
    answer(asked, error_text(asked.id, error_code::internal_error, why), out);
    return end(why, out);
  }
  phase_ = phase::open;
  posts_.erase(asked.exchange);
  out.push_back(reply{asked.exchange, relayed(std::move(from), asked.id, {}), true});
  for (auto& one : std::exchange(held_, {})) {
    if (one.kind == message_kind::request)
      held_.push_back(std::move(one));
    else
      send_unrelated(std::move(one.text), out);
  }
  end_when_drained(out);
}

/// Servers ask nothing before `notifications/initialized` (2025-11-25, lifecycle, "Initialization").
bool session::must_wait(const message& from) const {
  return from.kind == message_kind::request ? !initialized_ : phase_ != phase::open;
}

void session::hold(message from, effects& out) {
  if (held_.size() < limits_.waiting)
    held_.push_back(std::move(from));
  else if (from.kind == message_kind::request)
    out.push_back(forward{error_text(from.id, error_code::internal_error, "The client is not initialized")});
}

void session::take_question(message from, time_point now, effects& out) {
  if (must_wait(from))
    return hold(std::move(from), out);
  auto refuse = [&](std::string_view why) {
    out.push_back(forward{error_text(from.id, error_code::internal_error, why)});
  };
  if (questions_.size() == limits_.questions)
    return refuse("Too many requests wait for the client");
  auto own = questions_.add({from.id, from.reference, 0, now + limits_.question, now + limits_.request_cap});
  auto id = std::to_string(own);
  exchange_id on = 0;
  if (!send_related(relayed(from, id, id), false, on, out)) {
    questions_.take(own);
    return refuse("The client has no stream open, and too much waits for one");
  }
  questions_.find(own)->exchange = on;
}

void session::take_server_notification(message from, time_point now, effects& out) {
  if (from.method == "notifications/progress")
    return take_progress(std::move(from), now, out);
  if (from.method == "notifications/cancelled")
    return withdraw_question(std::move(from), out);
  if (must_wait(from))
    return hold(std::move(from), out);
  exchange_id ignored = 0;
  if (from.method == "notifications/message")
    send_related(std::move(from.text), true, ignored, out);
  else
    send_unrelated(std::move(from.text), out);
}

void session::take_progress(message from, time_point now, effects& out) {
  auto own = own_id(from.reference);
  auto asked = own ? calls_.find(*own) : nullptr;
  if (!asked || asked->token.empty() || phase_ != phase::open)
    return;
  asked->deadline = std::min(now + limits_.request, asked->cap);
  auto found = posts_.find(asked->exchange);
  if (found != posts_.end() && found->second.reachable())
    found->second.precede(relayed(std::move(from), {}, asked->token), out);
}

void session::withdraw_question(message from, effects& out) {
  auto own = questions_.own_id_of(from.reference);
  if (!own) {
    std::erase_if(held_,
                  [&](const message& one) { return one.kind == message_kind::request && one.id == from.reference; });
    return;
  }
  auto asked = *questions_.take(*own);
  send_on(asked.exchange, relayed(std::move(from), {}, std::to_string(*own)), out);
}

} // namespace troupe::protocol

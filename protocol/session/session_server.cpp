// What the server says: the other half of `session`.

#include "protocol/message/era.hpp"
#include "protocol/session/session.hpp"

#include <utility>

namespace troupe::protocol {

effects session::server_sent(message from, time_point now) {
  effects out;
  if (phase_ == phase::ended)
    return out;
  if (from.kind == message_kind::response)
    take_answer(std::move(from), now, out);
  else if (from.method == "ping" && from.kind == message_kind::request)
    out.push_back(forward{made(empty_result(from.id))});
  else if (from.kind == message_kind::request)
    take_question(std::move(from), now, out);
  else
    take_server_notification(std::move(from), now, out);
  return out;
}

void session::take_answer(message&& from, time_point now, effects& out) {
  auto own = own_id(from.id);
  auto asked = own ? calls_.take(*own) : std::nullopt;
  if (!asked)
    return;
  touched_ = now;
  if (phase_ == phase::restoring)
    return take_restored_answer(from, now, out);
  record_.answered(*own, from, now, out);
  if (phase_ == phase::starting)
    return take_initialize_answer(std::move(from), *asked, now, out);
  relabel(from, asked->id, {});
  way_->answer(asked->exchange, std::move(from.text), now, out);
  end_when_drained(now, out);
}

/// The session is known to its client only when the server has agreed to it, on a revision that we know.
void session::take_initialize_answer(message&& from, const call& asked, time_point now, effects& out) {
  if (!find_member(from.text, {"result"})) {
    way_->answer(asked.exchange, relayed(std::move(from), asked.id, {}).text, now, out);
    return end("its server refused to initialize", now, out);
  }
  auto token = find_member(from.text, {"result", "protocolVersion"});
  version_ = token ? string_value(*token).value_or("") : "";
  if (!is_session_version(version_)) {
    std::string why = "The MCP server answered initialize with a protocol version that is not known";
    way_->answer(asked.exchange, error_text(asked.id, error_code::internal_error, why), now, out);
    return end(why, now, out);
  }
  phase_ = phase::open;
  if (record_.is_kept())
    way_->keep();
  record_.agreed(version_, now, out);
  way_->opened(asked.exchange, relayed(std::move(from), asked.id, {}).text, version_, out);
  publish_held(now, out);
  end_when_drained(now, out);
}

void session::publish_held(time_point now, effects& out) {
  for (auto& one : held_.take()) {
    if (one.kind == message_kind::request)
      hold(std::move(one), out);
    else
      way_->unrelated(std::move(one), now, out);
  }
}

/// Servers ask nothing before `notifications/initialized` (2025-11-25, lifecycle, "Initialization").
bool session::must_wait(const message& from) const {
  return from.kind == message_kind::request ? !initialized_ : phase_ != phase::open;
}

void session::hold(message&& from, effects& out) {
  auto id = from.id;
  if (!held_.push(std::move(from)))
    out.push_back(
        forward{made(error_text(id, error_code::internal_error, "Too much waits for the client to initialize"))});
}

void session::take_question(message&& from, time_point now, effects& out) {
  auto refuse = [&](int code, std::string_view why) { out.push_back(forward{made(error_text(from.id, code, why))}); };
  if (phase_ != phase::fresh && !capabilities_.allow(from.method))
    return refuse(error_code::method_not_found, "The client did not declare the capability for this");
  if (must_wait(from))
    return hold(std::move(from), out);
  if (questions_.size() == limits_.questions)
    return refuse(error_code::internal_error, "Too many requests wait for the client");
  auto own = questions_.add({from.id, from.reference, 0, now + limits_.question, now + limits_.request_cap});
  auto id = std::to_string(own);
  auto with = way_->related(relayed(from, id, id), now, out);
  if (with) {
    questions_.go_with(own, *with);
    return;
  }
  questions_.take(own);
  refuse(error_code::internal_error, "The client has no stream open, and too much waits for one");
}

void session::take_server_notification(message&& from, time_point now, effects& out) {
  if (from.method == "notifications/progress")
    return take_progress(std::move(from), now, out);
  if (from.method == "notifications/cancelled")
    return withdraw_question(std::move(from), now, out);
  if (must_wait(from))
    return hold(std::move(from), out);
  if (from.method == "notifications/message")
    way_->related(std::move(from), now, out);
  else
    way_->unrelated(std::move(from), now, out);
}

void session::take_progress(message&& from, time_point now, effects& out) {
  auto own = own_id(from.reference);
  auto asked = own ? calls_.find(*own) : nullptr;
  if (!asked || asked->token.empty() || phase_ != phase::open)
    return;
  asked->deadline = std::min(now + limits_.request, asked->cap);
  relabel(from, {}, asked->token);
  way_->progress(asked->exchange, std::move(from.text), now, out);
}

void session::withdraw_question(message&& from, time_point now, effects& out) {
  auto own = questions_.own_id_of(from.reference);
  if (!own)
    return held_.withdraw(from.reference);
  auto asked = *questions_.take(*own);
  way_->follow(asked.exchange, relayed(std::move(from), {}, std::to_string(*own)), now, out);
}

} // namespace troupe::protocol

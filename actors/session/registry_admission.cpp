// Whether what is asked for begins: by what the registry knows, and then by the word of the host, for which a request
// waits here.

#include "actors/session/registry.hpp"

#include <type_traits>
#include <utility>

namespace troupe::actors {

namespace {

/// As a JSON token; empty when it has none.
template <class Message>
std::string id_of(const Message& msg) {
  if constexpr (std::is_same_v<Message, client_post>)
    return msg.body.messages.front().id;
  else
    return {};
}

template <class Message>
session_request question_about(const Message& msg) {
  session_request result;
  result.request = msg.request_id;
  if (!msg.caller) {
    result.address = msg.counted_as;
    return result;
  }
  result.caller = msg.caller->subject;
  result.issuer = msg.caller->issuer;
  result.claims = msg.caller->claims;
  result.scopes = msg.caller->scopes;
  result.groups = msg.caller->groups;
  return result;
}

} // namespace

/// Whether a session or lease begins now. The host is asked last, so that it hears of nobody who is refused anyhow, and
/// before room is made, so that nobody ends for who is refused.
template <class Message>
bool registry_state::may_begin(Message& msg, const std::string& request, protocol::transport via) {
  auto why = admission_.refuse(msg.server, request);
  if (!why)
    why = refuse_at(msg.server, via, msg.caller);
  if (!why && awaits_host(msg, via))
    return false;
  if (!why)
    why = make_room(msg.counted_as, request);
  if (why)
    self_->send(msg.broker, http_rejected{std::move(*why)});
  return !why;
}

template bool registry_state::may_begin(client_post& msg, const std::string& request, protocol::transport via);
template bool registry_state::may_begin(client_listen& msg, const std::string& request, protocol::transport via);

template <class Message>
bool registry_state::awaits_host(Message& msg, protocol::transport via) {
  if (!setup_.ask_host || judged_ == &msg)
    return false;
  auto what = question_about(msg);
  what.is_stateless = via == protocol::transport::stateless;
  if (auto one = server_at(msg.server, via))
    what.server = one->as_member.server.name;
  unjudged_.emplace(++last_question_, std::move(msg));
  setup_.ask_host(std::move(what), last_question_, caf::actor_cast<registry_actor>(self_));
  return true;
}

/// Much may have changed meanwhile: another request of the same caller may have begun its lease, or the server be gone.
void registry_state::take(session_judged& msg) {
  auto waited = unjudged_.extract(msg.question);
  if (!waited)
    return;
  auto go_on = [&](auto& what) {
    if (msg.why_not) {
      msg.why_not->id = id_of(what);
      return self_->send(what.broker, http_rejected{std::move(*msg.why_not)});
    }
    judged_ = &what;
    take(what);
    judged_ = nullptr;
  };
  std::visit(go_on, waited.mapped());
  if (is_unused())
    tell_use();
  end_when_drained();
}

} // namespace troupe::actors

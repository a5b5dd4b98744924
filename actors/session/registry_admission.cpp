#include "actors/session/registry.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace troupe::actors {

// Ending idle sessions when descriptors, memory or processes run out.

/// Ends one idle session, so that a retry finds room. No caller ends sessions of callers that hold fewer than it does.
void registry_state::take(const shortage_found& msg) {
  const auto now = self_->at().now();
  const auto newcomer = counted_as(msg.user);
  const auto least = newcomer ? admission_.places().held_by(*newcomer) : 0;
  auto* one = admission_.places().ends_one_for_shortage(now) ? most_idle_holder(least) : nullptr;
  if (!one)
    return;
  end_for_room(*one, "it was idle, and the gateway is out of descriptors, memory or processes");
  if (now < next_shortage_warning_)
    return;
  next_shortage_warning_ = now + std::chrono::minutes{1};
  setup_.session->log(log_level::warning, "out of descriptors, memory or processes: idle sessions end",
                      {{"sessions", std::to_string(sessions_.size())},
                       {"advice", "raise the limits (ulimit -n, LimitNOFILE=, TasksMax=), or lower --max-sessions"}});
}

/// Returns the longest idle session of the caller with the most sessions. Considers only sessions with their own
/// processes or connections, and callers with `least` sessions or more. Null when there is none.
registry_state::known_session* registry_state::most_idle_holder(std::size_t least) {
  known_session* result = nullptr;
  const auto latest = self_->at().now() - protocol::session_places::least_idle;
  std::pair<std::size_t, protocol::time_point::duration> most{least, {}};
  for (auto& [id, one] : sessions_) {
    const auto since = one.address ? one.idle->since() : std::nullopt;
    if (!since || *since > latest || !holds_something_scarce(one))
      continue;
    if (const std::pair rank{admission_.places().held_by(*one.address), latest - *since}; rank >= most) {
      result = &one;
      most = rank;
    }
  }
  return result;
}

/// Ignores servers inside this process: they take no descriptors or processes.
bool registry_state::holds_something_scarce(const known_session& one) const {
  const auto is_outside = [](const gateway_server& server) {
    auto& source = server.options.source;
    return std::holds_alternative<command_server>(source) || std::holds_alternative<remote_server>(source);
  };
  if (!one.idle->has_own_server())
    return false;
  auto* server = server_at(one.place.path, one.place.via);
  return server ? is_outside(*server) : std::ranges::any_of(servers_.all(), is_outside);
}

void registry_state::note_left(const known_session& one) {
  constexpr std::size_t most_left = 64;
  if (!one.address)
    return;
  if (left_.size() == most_left)
    left_.pop_front();
  left_.emplace_back(one.session.address(), *one.address);
}

/// Returns the caller that a session counts for, even if the session has ended lately; empty when unknown.
std::optional<std::string> registry_state::counted_as(const caf::actor_addr& session) const {
  if (auto found = ids_.find(session); found != ids_.end() && found->second)
    return sessions_.at(*found->second).address;
  const auto left = std::ranges::find(left_, session, [](auto& one) { return one.first; });
  return left == left_.end() ? std::nullopt : std::optional{left->second};
}

// Admission of sessions and leases: by what the registry knows, then by the host's decision, for which the request
// waits here.

namespace {

/// Returns the request's id as a JSON token; empty when it has none.
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

/// Whether a session or lease begins now. The host is queried last, so that it sees no request that is refused anyway.
/// Room is made after that, so that no session ends for a refused request.
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

/// Checks everything again: meanwhile another request may have begun the caller's lease, or the server may be gone.
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

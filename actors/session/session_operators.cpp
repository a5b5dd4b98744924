// Requests of operators to sessions and leases.

#include "actors/session/caller_lease.hpp"
#include "actors/session/session.hpp"
#include "protocol/rejection.hpp"

#include <string>
#include <utility>

namespace troupe::actors {

namespace {

/// Error text for the client whose call an operator has ended.
constexpr const char* ended_by_operator = "An operator of the gateway ended the call";

/// Answers the operator whether the call was ended.
template <class Self>
void tell_ended(Self* self, const end_call& which, bool is_ended) {
  if (is_ended)
    self->send(which.broker, http_reply{"{\"ended\":" + std::to_string(which.number) + "}", {}});
  else
    self->send(which.broker, http_rejected{protocol::refusal(404, "the session has no such call under way")});
}

/// Shows a response under the id of the client's request.
template <class Machine>
void show_to(session_followers& followers, Machine& machine, const protocol::message& of_server) {
  if (followers.empty())
    return;
  const auto is_response = of_server.kind == protocol::message_kind::response;
  followers.server_said(of_server, is_response ? machine.asked_as(of_server.id) : std::string_view{of_server.id});
}

} // namespace

void session_state::describe(describe_request& msg) {
  auto& what = msg.so_far;
  const auto streams = machine_.counts();
  what.calls = operations_.live();
  what.primary = streams.primary;
  what.shadow = streams.shadow;
  what.of_calls = streams.call;
  what.questions = machine_.questions_in_flight();
  self_->send(msg.to, session_described{std::move(what)});
}

void session_state::show(const protocol::post_body& of_client) {
  if (!followers_.empty())
    for (auto& one : of_client.messages)
      followers_.client_said(one);
}

void session_state::show(const protocol::message& of_server) { show_to(followers_, machine_, of_server); }

void session_state::end(const end_call& which) {
  protocol::effects effects;
  if (auto call = operations_.find(which.number))
    effects = machine_.end_call(call->second, ended_by_operator, now());
  tell_ended(self_, which, !effects.empty());
  apply(std::move(effects));
}

void caller_lease_state::describe(describe_request& msg) {
  auto& what = msg.so_far;
  const auto& face = machine_.face();
  what.calls = operations_.live();
  what.listens = face.listens();
  what.questions = face.parked_calls();
  self_->send(msg.to, session_described{std::move(what)});
}

void caller_lease_state::show(const protocol::message& of_server) { show_to(followers_, machine_, of_server); }

void caller_lease_state::end(const end_call& which) {
  protocol::effects effects;
  if (auto call = operations_.find(which.number))
    effects = machine_.end_call(call->first, call->second, ended_by_operator, now());
  tell_ended(self_, which, !effects.empty());
  apply(std::move(effects));
}

} // namespace troupe::actors

#include "actors/session/caller_frame.hpp"

#include "actors/cluster_messages.hpp"
#include "actors/session/caller_lease.hpp"
#include "actors/session/session.hpp"
#include "protocol/admin/operator_views.hpp"
#include "protocol/metrics/operation.hpp"
#include "protocol/rejection.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace troupe::actors {

namespace {

/// Error text for the client whose call an operator has ended.
constexpr const char* ended_by_operator = "An operator of the gateway ended the call";

/// Id for `request_records`.
std::string_view id_of_session(const local_session& here) {
  return here.via == protocol::transport::stateless ? std::string_view{} : here.id;
}

} // namespace

// -- operators that follow ---------------------------------------------------------

void session_followers::add(follow_request& msg) {
  self_->monitor(msg.broker);
  self_->send(msg.broker, sse_begin{});
  all_.push_back({std::move(msg.broker), msg.content});
}

void session_followers::gone(const caf::actor_addr& broker) {
  std::erase_if(all_, [&](auto& one) { return one.broker.address() == broker; });
}

void session_followers::tell(const protocol::message& what, std::string_view from, std::string_view id) {
  const auto asked = protocol::is_request(what) ? protocol::operation_of(what) : protocol::operation{};
  const protocol::followed_message one{what, from, id, asked.name, std::chrono::system_clock::now()};
  for (auto& to : all_)
    self_->send(to.broker, sse_event{protocol::followed_event(one, to.content)});
}

void session_followers::end() {
  for (auto& one : std::exchange(all_, {})) {
    self_->demonitor(one.broker.address());
    self_->send(one.broker, sse_end{protocol::end_of_following()});
  }
}

// -- the frame ---------------------------------------------------------------------

template <class State>
caller_frame<State>::caller_frame(pinned<interface>* self, registry_actor owner, new_session& what,
                                  std::shared_ptr<const session_setup> setup)
    : self_{self}, owner_{std::move(owner)}, here_{what.id, what.via, what.path, self->address(),
                                                   protocol::identity_of(what.caller)},
      setup_{std::move(setup)}, reminder_{self->at()}, servers_{self, servers_of(owner_, what, setup_)},
      idle_{std::move(what.idle)}, records_{self, setup_->watch, id_of_session(here_)}, followers_{self} {}

template <class State>
caller_frame<State>::~caller_frame() {
  hide();
}

template <class State>
void caller_frame<State>::begin() {
  self_->at().sessions().add(here_);
  self_->set_exit_handler([this](caf::exit_msg& msg) { on_exit_of(msg); });
  self_->set_down_handler([this](caf::down_msg& msg) { on_down_of(msg.source); });
}

template <class State>
void caller_frame<State>::let_go() {
  followers_.end();
  servers_.drop();
}

template <class State>
void caller_frame<State>::retire() {
  is_retired_ = true;
  let_go();
  hide();
  self_->send(owner_, session_let_go{here_.id, true});
  self_->set_down_handler([](caf::down_msg&) {});
  self_->become(after_the_end());
}

/// `session_released` is the registry's last message.
template <class State>
typename caller_frame<State>::interface::behavior_type caller_frame<State>::after_the_end() {
  auto give_back = [this](auto& msg) { self_->send(owner_, std::move(msg)); };
  return behavior_of<from_server, server_lost, members_changed, close_session, session_disowned, tenure_regained,
                     session_regained, session_departs, session_gone, caller_revoked, restart_request, tick>(
      [give_back](client_post& msg) { give_back(msg); }, [give_back](client_listen& msg) { give_back(msg); },
      [give_back](client_delete& msg) { give_back(msg); },
      [this](session_released&) { self_->quit(caf::exit_reason::user_shutdown); },
      [this](upstream_granted& msg) { servers_.given(msg); }, [this](report_request& msg) { report(msg); },
      [this](describe_request& msg) { describe(msg); }, [this](end_call& msg) { end(msg); },
      [](follow_request& msg) { caf::anon_send(msg.broker, http_rejected{protocol::session_not_found()}); });
}

// -- from the client -----------------------------------------------------------------------

template <class State>
void caller_frame<State>::asks(const protocol::caller& caller) {
  if (servers_.asks(caller))
    handle_server_events();
}

/// The caller may have other credentials by the time that the request is carried out or answered. Access, and the token
/// exchanged for the server's, depend on those that came with the request.
template <class State>
void caller_frame<State>::sign(protocol::message& what, const protocol::caller& caller) const {
  if (servers_.is_guarded() || setup_->callers->is_enabled())
    what.requester = caller;
}

template <class State>
void caller_frame<State>::show_of_client(const protocol::message& what) {
  if (!followers_.empty())
    followers_.client_said(what);
}

/// Shows a response under the id of the client's request.
template <class State>
void caller_frame<State>::show_of_server(const protocol::message& what) {
  if (followers_.empty())
    return;
  const auto is_response = what.kind == protocol::message_kind::response;
  followers_.server_said(what, is_response ? state().machine_.asked_as(what.id) : std::string_view{what.id});
}

/// Ends streams whose credentials have expired: their callers come back with fresh ones, or not at all.
template <class State>
void caller_frame<State>::close_expired_streams(protocol::time_point until) {
  if (auto expired = records_.take_expired(until, state().machine_.resumes_calls()); !expired.empty())
    state().carry_out(state().machine_.close_streams(expired, now()));
}

// -- from other actors ---------------------------------------------------------------------

/// Takes one fact at a time: a fact caused by an effect of the state waits until all effects are carried out. Sets the
/// reminder when all are taken.
template <class State>
void caller_frame<State>::handle_server_events() {
  if (std::exchange(handles_server_events_, true))
    return;
  while (auto event = servers_.next())
    if (auto* lost = std::get_if<server_lost>(&*event))
      state().lost(*lost);
    else
      state().handle(std::get<from_server>(*event));
  handles_server_events_ = false;
  remind();
}

template <class State>
void caller_frame<State>::on_tick() {
  reminder_.arrived();
  servers_.tick();
  close_expired_streams(now());
  state().carry_out(state().machine_.tick(now()));
}

template <class State>
void caller_frame<State>::on_down_of(const caf::actor_addr& who) {
  servers_.gone(who);
  followers_.gone(who);
  handle_server_events();
  if (auto exchange = records_.lost(who))
    state().carry_out(state().machine_.client_lost(*exchange, now()));
}

template <class State>
void caller_frame<State>::on_exit_of(const caf::exit_msg& msg) {
  for (const auto& from : {owner_.address(), self_->address()})
    if (msg.source == from)
      return self_->quit(msg.reason);
}

// -- for operators -------------------------------------------------------------------------

template <class State>
void caller_frame<State>::report(const report_request& msg) {
  counted result;
  result.part.actors = 1;
  state().count(result.part);
  result.asked = servers_.count_own();
  self_->send(msg.to, std::move(result));
  servers_.report(msg.to);
}

template <class State>
void caller_frame<State>::describe(describe_request& msg) {
  msg.so_far.calls = records_.live();
  state().count(msg.so_far);
  self_->send(msg.to, session_described{std::move(msg.so_far)});
}

/// Answers the operator whether the call was ended.
template <class State>
void caller_frame<State>::end(const end_call& which) {
  protocol::effects effects;
  if (auto call = records_.find(which.number))
    effects = state().fail_call(call->first, call->second, ended_by_operator);
  if (!effects.empty())
    self_->send(which.broker, http_reply{"{\"ended\":" + std::to_string(which.number) + "}", {}});
  else
    self_->send(which.broker, http_rejected{protocol::refusal(404, "the session has no such call under way")});
  state().carry_out(std::move(effects));
}

// -- effects -------------------------------------------------------------------------------

template <class State>
void caller_frame<State>::carry_out(protocol::effects effects) {
  perform_all(effects);
  settle();
}

template <class State>
void caller_frame<State>::remind() {
  reminder_.set(self_->address(), std::min({state().machine_.deadline(), records_.first_until(), servers_.deadline()}));
}

template <class State>
void caller_frame<State>::report_use() {
  idle_->tell(state().machine_.idle_since(), servers_.count_own());
  state().metrics_.tell(state().machine_);
}

template <class State>
void caller_frame<State>::perform(protocol::reply& effect) {
  records_.answer(effect.exchange, http_reply{std::move(effect.text), effect.opens ? here_.id : std::string{}});
}

template <class State>
void caller_frame<State>::perform(protocol::reject& effect) {
  records_.reject(effect.exchange, std::move(effect.why));
}

// Both instances: other sources see only the declarations.
template class caller_frame<session_state>;
template class caller_frame<caller_lease_state>;

} // namespace troupe::actors

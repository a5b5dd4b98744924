#include "actors/hosted/hosted_upstream.hpp"

#include "protocol/text/words.hpp"

#include <utility>
#include <vector>

namespace troupe::actors {

namespace {

constexpr const char* busy = "The server is busy: too many calls wait for it";

std::string call_kind(const protocol::hosted_call& what) {
  switch (what.is) {
  case protocol::hosted_call::kind::tool:
    return "tool";
  case protocol::hosted_call::kind::prompt:
    return "prompt";
  case protocol::hosted_call::kind::resource:
    return "resource";
  default:
    return "completion";
  }
}

/// Omits the URI of a resource: it may contain a secret.
std::vector<std::pair<std::string, std::string>> facts_of(const protocol::hosted_call& what, std::string_view why) {
  std::vector<std::pair<std::string, std::string>> result{{"kind", call_kind(what)}};
  if (!what.name.empty() && what.is != protocol::hosted_call::kind::resource)
    result.emplace_back("name", what.name);
  result.emplace_back("why", protocol::one_line(why));
  return result;
}

/// Returns a function that logs an exception of the host: also after the session's end, but not after the gateway's.
std::function<void(const protocol::hosted_call&, std::string_view)> note_for(std::weak_ptr<const hosted_setup> setup,
                                                                             std::string session) {
  return [setup = std::move(setup), session = std::move(session)](const protocol::hosted_call& what,
                                                                  std::string_view why) {
    const auto alive = setup.lock();
    if (!alive)
      return;
    auto facts = facts_of(what, why);
    facts.insert(facts.begin(), {{"server", alive->server_name}, {"session", session}});
    alive->log(log_level::warning, "a handler of the host failed", std::move(facts));
  };
}

} // namespace

hosted_upstream_state::hosted_upstream_state(pinned<interface>* self, const bare_upstream_setup& whom,
                                             std::shared_ptr<const hosted_setup> setup)
    : self_{self}, user_{whom, self->at().now()}, setup_{std::move(setup)},
      listener_{setup_->offer->listen([tell = sender_for(0)](const protocol::message& what) { tell(what); })} {}

hosted_upstream_state::~hosted_upstream_state() {
  setup_->offer->forget(listener_);
  for (auto& [id, one] : calls_)
    cancel(one);
}

hosted_upstream_actor::behavior_type hosted_upstream_state::make_behavior() {
  user_.bind(self_);
  return {
      [this](to_server& msg) { handle(msg); },
      [](user_disconnected&) {}, // the upstream ends with its only user
      [this](report_request& msg) { user_.report(self_, msg.to, setup_->server_name); },
      [this](restart_request&) { user_.restart(self_); },
      [this](serve_user& msg) { user_.become(self_, msg); },
      [this](hosted_said& msg) { handle(msg); },
  };
}

void hosted_upstream_state::handle(to_server& msg) {
  auto offered = setup_->offer->now();
  carry_out(machine_.client_sent(msg.message, offered->offer), offered);
}

void hosted_upstream_state::handle(hosted_said& msg) {
  if (msg.call == 0)
    return carry_out(machine_.receive_from_server(std::move(msg.message)));
  if (msg.message.kind == protocol::message_kind::response)
    calls_.erase(msg.call);
  carry_out(machine_.call_said(msg.call, std::move(msg.message)));
}

/// Returns a function that any thread may call, even after the actor's end.
std::function<void(protocol::message)> hosted_upstream_state::sender_for(protocol::hosted_call_id call) const {
  return [self = self_->address(), call](protocol::message what) {
    send_if_alive(self, hosted_said{call, std::move(what)});
  };
}

/// While a call waits for a thread, only the queued work holds its state.
void hosted_upstream_state::cancel(const call_under_way& what) {
  if (auto alive = what.state.lock())
    alive->cancel(setup_->call_back);
  setup_->drop(what.turn);
}

// -- effects -----------------------------------------------------------------------------

void hosted_upstream_state::carry_out(protocol::hosted_effects effects, const handlers& offered) {
  for (auto& effect : effects)
    std::visit([&](auto& one) { perform(one, offered); }, effect);
}

void hosted_upstream_state::perform(protocol::send_client& effect, const handlers&) {
  user_.tell(self_, std::move(effect.what));
}

void hosted_upstream_state::perform(protocol::start_call& effect, const handlers& offered) {
  auto handler = offered->handlers.at(effect.what.item);
  auto state = std::make_shared<call_state>(
      std::move(effect.what), call_state::gateway_links{sender_for(effect.call), note_for(setup_, user_.session())});
  auto turn = setup_->run([handler = std::move(handler), state] {
    if (!state->cancelled())
      state->call_host([&] { (*handler)(call{state}); });
  });
  if (turn == 0)
    state->finish(protocol::error_code::internal_error, busy);
  else
    calls_.emplace(effect.call, call_under_way{state, turn});
}

void hosted_upstream_state::perform(protocol::cancel_call& effect, const handlers&) {
  if (auto node = calls_.extract(effect.call))
    cancel(node.mapped());
}

void hosted_upstream_state::perform(protocol::pass_reply& effect, const handlers&) {
  auto found = calls_.find(effect.call);
  if (auto alive = found == calls_.end() ? nullptr : found->second.state.lock())
    alive->receive_reply(effect.what, setup_->call_back);
}

} // namespace troupe::actors

#include "actors/hosted_upstream.hpp"

#include <exception>
#include <utility>

namespace troupe::actors {

namespace {

/// The host's code may throw what it likes; on a thread of ours that would be the end of its process.
void run_handler(const call_handler& handler, const call& one) {
  try {
    handler(one);
  } catch (const refusal& why) {
    one.refuse(why.code(), why.what());
  } catch (const std::exception& why) {
    one.fail(why.what());
  } catch (...) {
    one.fail("The handler failed");
  }
}

} // namespace

hosted_upstream_state::hosted_upstream_state(pinned<interface>* self, server_actor server, downstream_actor user,
                                             std::string session, std::shared_ptr<const hosted_setup> setup)
    : self_{self}, user_{std::move(server), std::move(user), std::move(session), self->at().now()}, setup_{std::move(
                                                                                                        setup)},
      begun_{self->at().now()}, listener_{setup_->things->listen(
                                    [tell = way_back(0)](const protocol::message& what) { tell(what); })} {}

hosted_upstream_state::~hosted_upstream_state() {
  setup_->things->forget(listener_);
  for (auto& [id, one] : calls_)
    if (auto alive = one.lock())
      alive->cancel(setup_->run);
}

hosted_upstream_actor::behavior_type hosted_upstream_state::make_behavior() {
  user_.bind(self_);
  return {
      [this](to_server& msg) { take(msg); },           [](user_left&) {}, // has one user, with whom it ends
      [this](report_request& msg) { report(msg.to); }, [this](serve_user& msg) { user_.become(self_, msg); },
      [this](hosted_said& msg) { take(msg); },
  };
}

void hosted_upstream_state::take(to_server& msg) {
  auto at_hand = setup_->things->now();
  apply(machine_.client_sent(msg.message, at_hand->offer), at_hand);
}

void hosted_upstream_state::take(hosted_said& msg) {
  if (msg.call == 0)
    return apply(machine_.server_said(std::move(msg.message)));
  if (msg.message.kind == protocol::message_kind::response)
    calls_.erase(msg.call);
  apply(machine_.call_said(msg.call, std::move(msg.message)));
}

/// Callable from any thread, also when the actor is gone.
std::function<void(protocol::message)> hosted_upstream_state::way_back(protocol::hosted_call_id call) const {
  return [self = self_->address(), call](protocol::message what) {
    if (auto alive = caf::actor_cast<caf::actor>(self))
      caf::anon_send(alive, hosted_said{call, std::move(what)});
  };
}

void hosted_upstream_state::report(const collector_actor& to) {
  counted result;
  result.part.actors = 1;
  auto age = std::chrono::duration_cast<std::chrono::milliseconds>(self_->at().now() - begun_);
  result.part.upstreams.push_back({setup_->server_name, 0, age, user_.session()});
  self_->send(to, std::move(result));
}

// -- effects -----------------------------------------------------------------------------

void hosted_upstream_state::apply(protocol::hosted_effects effects, const handlers& at_hand) {
  for (auto& effect : effects)
    std::visit([&](auto& one) { apply(one, at_hand); }, effect);
}

void hosted_upstream_state::apply(protocol::send_client& effect, const handlers&) {
  user_.tell(self_, std::move(effect.what));
}

void hosted_upstream_state::apply(protocol::start_call& effect, const handlers& at_hand) {
  auto handler = at_hand->handlers.at(effect.what.item);
  auto state = std::make_shared<call_state>(std::move(effect.what), way_back(effect.call));
  calls_.emplace(effect.call, state);
  setup_->run([handler = std::move(handler), state = std::move(state)] {
    if (!state->cancelled())
      run_handler(*handler, call{state});
  });
}

void hosted_upstream_state::apply(protocol::cancel_call& effect, const handlers&) {
  auto node = calls_.extract(effect.call);
  if (auto alive = node.empty() ? nullptr : node.mapped().lock())
    alive->cancel(setup_->run);
}

void hosted_upstream_state::apply(protocol::pass_reply& effect, const handlers&) {
  auto found = calls_.find(effect.call);
  if (auto alive = found == calls_.end() ? nullptr : found->second.lock())
    alive->take_reply(effect.what, setup_->run);
}

} // namespace troupe::actors

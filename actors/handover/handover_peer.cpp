#include "actors/handover/handover_peer.hpp"

#include "actors/handover/process_link.hpp"
#include "actors/relayed.hpp"
#include "protocol/cluster/unanswered_requests.hpp"
#include "protocol/rejection.hpp"

#include <utility>

namespace troupe::actors {

namespace {

/// Number that no exchange has. The last answer has this number: the process has answered all requests that it has
/// received. Release 1.0.0 ignores it.
constexpr std::uint64_t no_exchange = 0;

} // namespace

handover_peer_state::handover_peer_state(pinned<interface>* self, registry_actor registry, handover_peer_setup setup)
    : self_{self}, registry_{std::move(registry)}, setup_{std::move(setup)},
      forwarded_{self, setup_.self}, reminder_{self->at()} {}

handover_peer_actor::behavior_type handover_peer_state::make_behavior() {
  self_->set_exit_handler([this](caf::exit_msg& msg) { on_exit_of(msg); });
  self_->link_to(registry_);
  connect();
  if (setup_.has_signs)
    watch_.emplace(self_->at().now());
  sign();
  remind();
  return {
      [this](relay_answer& msg) {
        handle(msg);
        end_when_idle();
      },
      [this](client_post& msg) { pass_on(msg); },
      [this](client_listen& msg) { pass_on(msg); },
      [this](client_delete& msg) { pass_on(msg); },
      [this](node_drains& msg) { handle(msg); },
      [this](tick& msg) { handle(msg); },
      [this](process_sign& msg) { handle(msg); },
  };
}

void handover_peer_state::connect() {
  gate_ = spawn_linked<gate_state>(self_, self_->at(), self_->address(), cluster_actor{}, registry_, setup_.units,
                                   setup_.keep_token);
  link_ =
      spawn_linked<process_link_state>(self_, self_->at(), setup_.thread, std::move(setup_.socket),
                                       caf::actor_cast<gate_actor>(gate_), caf::actor_cast<handover_peer_actor>(self_));
  cluster_members members;
  auto& other = members.nodes.emplace_back();
  other.node.life = setup_.other;
  other.router = caf::actor_cast<remote_router_actor>(link_);
  self_->send(gate_, std::move(members));
  forwarded_.members({{setup_.other, caf::actor_cast<gate_actor>(link_)}});
}

/// Returns requests that come too late to the registry, which knows of the loss.
template <class Message>
void handover_peer_state::pass_on(Message& msg) {
  if (is_lost_)
    return self_->send(registry_, std::move(msg));
  waiting_request one{make_relay_request(msg), msg.broker, msg.came};
  if (setup_.token_of)
    one.what.token = setup_.token_of(one.what.head.caller);
  forwarded_.pass_on(setup_.other, std::move(one), false);
}

void handover_peer_state::handle(relay_answer& msg) {
  using kind = relay_answer::kind;
  has_answered_all_ = has_answered_all_ || msg.exchange == no_exchange;
  if (!forwarded_.find(msg.exchange))
    return;
  if (msg.is == kind::rejected)
    forwarded_.refuse(msg.exchange, std::move(msg.why));
  else if (msg.is == kind::lost)
    forwarded_.end(msg.exchange);
  else
    forwarded_.receive_answer(msg);
}

void handover_peer_state::handle(const node_drains& msg) {
  sign_off();
  if (!msg.is_last)
    return;
  drains_ = true;
  if (watch_)
    watch_->sessions_ended();
  forwarded_.end_listening();
  if (msg.at_once)
    hurry();
  else
    end_when_idle();
}

void handover_peer_state::handle(const process_sign& msg) {
  if (watch_)
    watch_->heard();
  if (!leaves_)
    setup_.report(msg.is == protocol::peer_sign::alive ? protocol::peer_fact::alive : protocol::peer_fact::leaves);
}

void handover_peer_state::handle(const tick&) {
  const auto now = self_->at().now();
  reminder_.arrived();
  if (setup_.until && now >= *setup_.until) {
    setup_.until.reset();
    if (const auto more = std::exchange(setup_.grace, std::nullopt))
      setup_.until = now + *more;
    setup_.report(protocol::peer_fact::late);
  }
  if (watch_ && now >= watch_->due()) {
    if (watch_->tick(now))
      return lose(protocol::peer_fact::silent);
    sign();
  }
  remind();
}

void handover_peer_state::sign() {
  if (watch_ && setup_.may_sign())
    self_->send(link_, process_sign{protocol::peer_sign::alive});
}

/// Notifies the other process that the end of this one, or of the link, is no failure.
void handover_peer_state::sign_off() {
  if (watch_ && watch_->sign_off())
    self_->send(link_, process_sign{protocol::peer_sign::leaves});
}

void handover_peer_state::remind() {
  if (setup_.until)
    reminder_.set(self_->address(), *setup_.until);
  if (watch_)
    reminder_.set(self_->address(), watch_->due());
}

/// Notifies the registry, which forwards no further requests, and ends the connection. A process that hangs reads later
/// that it was given up.
void handover_peer_state::lose(protocol::peer_fact how) {
  self_->send(gate_, cluster_members{});
  if (leaves_ || std::exchange(is_lost_, true))
    return;
  self_->send(registry_, handover_peer_known{.is_lost = true});
  if (how == protocol::peer_fact::silent)
    sign_off();
  setup_.report(how);
  hurry();
}

void handover_peer_state::end_when_idle() {
  if (drains_ && !forwarded_.has_calls())
    leave();
}

/// Ends the gate, which waits until all messages of sessions are sent; the link exits with it. An exit by its owner
/// would make CAF cut the link that reports the gate's exit. Unless the other process is lost, its sessions may go on.
void handover_peer_state::leave() {
  if (std::exchange(leaves_, true))
    return;
  if (has_answered_all_)
    forwarded_.end_all();
  else
    forwarded_.fail_all(protocol::unanswered_requests::node_lost,
                        is_lost_ ? protocol::session_not_found() : protocol::gateway_stops());
  caf::anon_send_exit(gate_, caf::exit_reason::user_shutdown);
}

/// Ends the gate at once: a second exit does not wait.
void handover_peer_state::hurry() {
  leave();
  caf::anon_send_exit(gate_, caf::exit_reason::user_shutdown);
}

/// A gate that ends normally owes no answer.
void handover_peer_state::quit_after_gate(const caf::error& why) {
  if (why == caf::exit_reason::user_shutdown)
    self_->send(link_, relay_answer{.exchange = no_exchange, .is = relay_answer::kind::ended});
  self_->quit(caf::exit_reason::user_shutdown);
}

void handover_peer_state::on_exit_of(const caf::exit_msg& msg) {
  if (forwarded_.on_exit_of(msg.source))
    return end_when_idle();
  if (msg.source == gate_.address())
    return quit_after_gate(msg.reason);
  if (msg.source == link_.address())
    lose(protocol::peer_fact::closed);
  leave();
}

} // namespace troupe::actors

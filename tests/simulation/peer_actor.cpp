#include "tests/simulation/peer_actor.hpp"

#include "tests/simulation/node.hpp"

#include <utility>

namespace troupe::tests::simulation {

namespace {

/// Number of no exchange, see `handover_peer.cpp`: the process has answered all requests that it has received.
constexpr std::uint64_t no_exchange = 0;

} // namespace

peer_actor::peer_actor(std::shared_ptr<process> at, node& of, network& net, setup how)
    : actor{std::move(at)}, node_{of}, net_{net}, how_{std::move(how)}, forwarded_{*this, of, net,
                                                                                   [this] { end_when_idle(); }} {}

void peer_actor::begin(node_life other) {
  post([this, other] {
    other_ = other;
    gate_->members({.nodes = {{{.life = other}, how_.link}}});
    watch_.emplace(now());
    sign();
    remind(watch_->due());
  });
}

// -- requests --------------------------------------------------------------------------------

void peer_actor::submit(request what) {
  post([this, what = std::move(what)]() mutable { pass_on(std::move(what)); });
}

void peer_actor::pass_on(request what) {
  if (is_lost_)
    return node_.registry().submit(std::move(what));
  what.came = request_source::node;
  forwarded_.pass_on(other_, how_.link, std::move(what), false);
}

void peer_actor::answered(std::uint64_t number, answer what) {
  post([this, number, what = std::move(what)]() mutable {
    handle(number, what);
    end_when_idle();
  });
}

void peer_actor::handle(std::uint64_t number, answer& what) {
  has_answered_all_ = has_answered_all_ || number == no_exchange;
  if (!forwarded_.find(number))
    return;
  if (what.is == answer::kind::rejected)
    forwarded_.refuse(number, std::move(what.why));
  else if (what.is == answer::kind::lost)
    forwarded_.end(number);
  else
    forwarded_.receive_answer(number, std::move(what));
}

// -- the other process -----------------------------------------------------------------------

void peer_actor::tick() {
  if (how_.until && now() >= *how_.until) {
    how_.until.reset();
    if (auto more = std::exchange(how_.grace, std::nullopt))
      how_.until = now() + *more;
    how_.report(peer_fact::late);
  }
  if (watch_ && now() >= watch_->due()) {
    if (watch_->tick(now()))
      return lose(peer_fact::silent);
    sign();
  }
  if (how_.until)
    remind(*how_.until);
  if (watch_)
    remind(watch_->due());
}

void peer_actor::heard(peer_sign what) {
  post([this, what] {
    if (watch_)
      watch_->heard();
    if (!leaves_)
      how_.report(what == peer_sign::alive ? peer_fact::alive : peer_fact::leaves);
  });
}

void peer_actor::closed() {
  post([this] {
    lose(peer_fact::closed);
    leave();
  });
}

void peer_actor::send(peer_sign what) {
  net_.send(how_.link, [what, back = how_.link->other](node& other) { other.heard(what, back.lock()); });
}

void peer_actor::sign() {
  if (watch_ && how_.may_sign())
    send(peer_sign::alive);
}

void peer_actor::sign_off() {
  if (watch_ && watch_->sign_off())
    send(peer_sign::leaves);
}

void peer_actor::lose(peer_fact how) {
  gate_->members({});
  if (leaves_ || std::exchange(is_lost_, true))
    return;
  at().note("loses the other process", how == peer_fact::silent ? "it is silent" : "its link is closed");
  node_.registry().lose_other();
  if (how == peer_fact::silent)
    sign_off();
  how_.report(how);
  hurry();
}

// -- the end ---------------------------------------------------------------------------------

void peer_actor::drains(bool is_last, bool at_once) {
  post([this, is_last, at_once] {
    sign_off();
    if (!is_last)
      return;
    drains_ = true;
    if (watch_)
      watch_->sessions_ended();
    forwarded_.end_listening();
    if (at_once)
      hurry();
    else
      end_when_idle();
  });
}

void peer_actor::end_when_idle() {
  if (drains_ && !forwarded_.has_calls())
    leave();
}

void peer_actor::leave() {
  if (std::exchange(leaves_, true))
    return;
  if (has_answered_all_)
    forwarded_.end_all();
  else
    forwarded_.fail_all(unanswered_requests::node_lost, is_lost_ ? session_not_found() : gateway_stops());
  gate_->leave();
}

void peer_actor::hurry() {
  leave();
  gate_->leave();
}

void peer_actor::gate_ended(bool is_normal) {
  post([this, is_normal] { quit_after_gate(is_normal); });
}

void peer_actor::quit_after_gate(bool is_normal) {
  if (is_normal)
    net_.send(how_.link, [back = how_.link->other](node& other) {
      other.answered(no_exchange, {.is = answer::kind::ended}, back.lock());
    });
  quit();
}

void peer_actor::ended() {
  net_.close(how_.link);
  node_.registry().other_ended(this);
}

} // namespace troupe::tests::simulation

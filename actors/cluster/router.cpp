#include "actors/cluster/router.hpp"

#include "actors/relayed.hpp"
#include "protocol/rejection.hpp"
#include "protocol/text/sse.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace troupe::actors {

namespace {

using way = protocol::session_route::way;

/// Requests that may wait for the store at a time: of all sessions, and of one.
constexpr std::size_t most_seeking = 1000;
constexpr std::size_t most_of_one = 64;

/// How much a client reads until the other node hears of it, in bytes.
constexpr std::size_t told_at_once = 256 * 1024;

constexpr const char* undecided = "nobody can tell yet who owns the session";
protocol::rejection unknown_owner() { return protocol::unavailable(undecided); }

std::size_t size_of(const relay_request& one) {
  auto size = sizeof one + one.server.size() + one.session.size() + one.last.size();
  for (auto& part : one.body.messages)
    size += sizeof part + part.text.size() + part.id.size() + part.method.size() + part.reference.size();
  return size;
}

constexpr std::string_view cut_off = "The call was cut off: the gateway is stopping";

} // namespace

router_state::router_state(pinned<interface>* self, registry_actor registry, router_setup setup)
    : self_{self}, registry_{std::move(registry)}, setup_{std::move(setup)}, routes_{setup_.ids,
                                                                                     setup_.store != nullptr} {}

router_actor::behavior_type router_state::make_behavior() {
  self_->set_exit_handler([this](caf::exit_msg& msg) { on_exit_of(msg); });
  return {
      [this](relay_answer& msg) {
        take(msg);
        end_when_idle();
      },
      [this](client_post& msg) {
        find({travelling(msg), msg.broker, msg.relayed});
      },
      [this](client_listen& msg) {
        find({travelling(msg), msg.broker, msg.relayed});
      },
      [this](client_delete& msg) {
        find({travelling(msg), msg.broker, msg.relayed});
      },
      [this](readiness_probe& msg) { probe(msg.broker); },
      [this](members_of_cluster& msg) {
        change_members(msg);
        end_when_idle();
      },
      [this](session_found& msg) {
        take(msg);
        end_when_idle();
      },
      [this](node_drains& msg) { take(msg); },
      [this](report_request& msg) { report(msg.to); },
  };
}

// -- where it is ------------------------------------------------------------------------

/// A node asks another only for what that one should have; if it has not, the store may know why.
void router_state::find(waiting_request one) {
  if (one.what.session.empty())
    return begin_elsewhere(std::move(one));
  auto route = routes_.find(one.what.session, setup_.self);
  if (route.is == way::nowhere || (one.relayed && !setup_.store))
    return refuse(one, protocol::session_not_found());
  if (one.relayed || route.is == way::ask_store)
    return seek(std::move(one));
  if (route.is == way::not_yet)
    return refuse(one, nodes_not_known());
  pass_on(route.owner, std::move(one));
}

void router_state::begin_elsewhere(waiting_request one) {
  if (auto node = routes_.for_new())
    pass_on(*node, std::move(one));
  else
    refuse(one, gateway_stops(one.what.body.messages.front().id));
}

/// What a client hears whose session has lost its node.
protocol::rejection router_state::gone() const {
  return setup_.store ? unknown_owner() : protocol::session_not_found();
}

/// `except` has said that it does not know: what the store says of it is not to be believed.
void router_state::seek(waiting_request one, protocol::node_life except) {
  auto session = one.what.session;
  auto found = sought_.find(session);
  auto others = found == sought_.end() ? 0 : found->second.size();
  if (draining_ || seeking_ == most_seeking || others == most_of_one)
    return refuse(one, unknown_owner());
  ++seeking_;
  sought_[session].push_back(std::move(one));
  if (others == 0)
    ask_store(session, except);
}

/// The node that was asked has not got the session, and cannot tell why: it may have lost it, and the store.
void router_state::seek_instead(std::uint64_t number) {
  auto node = exchanges_.extract(number);
  auto& one = node.mapped();
  brokers_.erase(one.broker.address());
  seek({std::move(one.again->what), std::move(one.broker)}, one.to);
}

void router_state::ask_store(const std::string& session, protocol::node_life except) {
  session_sought question{session, {}, caf::actor_cast<seeker_actor>(self_)};
  for (auto node : routes_.alive())
    if (node != except)
      question.alive.push_back(protocol::life_text(node));
  self_->send(setup_.store, std::move(question));
}

void router_state::take(session_found& msg) {
  using outcome = session_found::outcome;
  auto node = sought_.extract(msg.session);
  if (node.empty())
    return;
  seeking_ -= node.mapped().size();
  if (msg.is == outcome::ours)
    return self_->send(registry_, restore_session{std::move(msg.session), std::move(msg.record), std::move(msg.events),
                                                  msg.term, msg.taken, std::move(node.mapped())});
  auto owner = protocol::read_life(msg.owner);
  auto moved = msg.is == outcome::elsewhere && owner && routes_.is_alive(*owner);
  if (moved)
    routes_.moved(msg.session, *owner);
  for (auto& one : node.mapped()) {
    if (moved && !one.relayed)
      pass_on(*owner, std::move(one));
    else
      refuse(one, msg.is == outcome::unknown ? protocol::session_not_found() : unknown_owner());
  }
}

void router_state::refuse(const waiting_request& one, protocol::rejection why) {
  self_->send(one.broker, http_rejected{std::move(why)});
}

// -- there and back ---------------------------------------------------------------------

void router_state::pass_on(protocol::node_life to, waiting_request one) {
  auto number = ++last_exchange_;
  self_->link_to(one.broker);
  brokers_.emplace(one.broker.address(), number);
  exchanges_.emplace(number,
                     passed_on{to, one.what.session, std::move(one.broker), protocol::lost_exchange{one.what.body},
                               std::nullopt, one.what.is == relay_request::kind::listen});
  auto may_move = setup_.store && !one.what.session.empty();
  if (auto room = may_move ? copies_.take(size_of(one.what)) : std::nullopt)
    exchanges_.at(number).again.emplace(second_try{one.what, std::move(*room)});
  one.what.from = setup_.self;
  one.what.exchange = number;
  self_->send(gates_.at(to), std::move(one.what));
}

void router_state::take(relay_answer& msg) {
  using kind = relay_answer::kind;
  auto found = exchanges_.find(msg.exchange);
  if (found == exchanges_.end())
    return;
  auto& one = found->second;
  switch (msg.is) {
  case kind::begin:
    one.again.reset();
    one.streams = true;
    return self_->send(one.broker, sse_begin{});
  case kind::event:
    return publish(msg.exchange, one, std::move(msg.text));
  case kind::reply:
    return finish(msg.exchange, http_reply{std::move(msg.text), std::move(msg.session)});
  case kind::accepted:
    return finish(msg.exchange, http_accepted{});
  case kind::ended:
    return finish(msg.exchange, http_ended{});
  case kind::rejected:
    return take_refusal(msg.exchange, one, std::move(msg.why));
  case kind::lost:
    routes_.lost(one.session);
    return lose(msg.exchange);
  case kind::end:
    return finish(msg.exchange, sse_end{});
  }
}

/// Whoever refuses for other reasons has the session.
void router_state::take_refusal(std::uint64_t number, const passed_on& one, protocol::rejection why) {
  auto is_unknown = why == unknown_owner();
  if (is_unknown || why.status == protocol::session_not_found().status)
    routes_.lost(one.session);
  if (one.streams)
    return lose(number);
  if (one.again && is_unknown)
    return seek_instead(number);
  finish(number, http_rejected{std::move(why)});
}

void router_state::publish(std::uint64_t number, passed_on& one, std::string text) {
  one.untold += text.size();
  one.awaited.told(text);
  self_->send(one.broker, sse_event{std::move(text)});
  if (one.untold >= told_at_once)
    self_->send(gates_.at(one.to), relay_taken{setup_.self, number, std::exchange(one.untold, 0)});
}

/// An answer is on its way: whatever becomes of the broker concerns the router no more.
template <class Answer>
void router_state::finish(std::uint64_t number, Answer answer) {
  auto node = exchanges_.extract(number);
  auto& broker = node.mapped().broker;
  self_->unlink_from(broker);
  brokers_.erase(broker.address());
  self_->send(broker, std::move(answer));
}

// -- who is there -----------------------------------------------------------------------

void router_state::change_members(members_of_cluster& msg) {
  auto before = std::exchange(gates_, {});
  std::vector<protocol::known_node> nodes;
  for (auto& one : msg.nodes) {
    gates_.emplace(one.node.life, std::move(one.gate));
    nodes.push_back(std::move(one.node));
  }
  routes_.members(nodes, msg.settled);
  std::vector<std::uint64_t> lost;
  for (auto& [number, one] : exchanges_)
    if (auto now = gates_.find(one.to); now == gates_.end() || now->second != before[one.to])
      lost.push_back(number);
  for (auto number : lost)
    lose(number);
}

/// Calls fail at once; what else a client waited for, it asks for again and then hears that the session is gone.
void router_state::lose(std::uint64_t number, std::string_view why) {
  auto& one = exchanges_.at(number);
  if (one.streams) {
    for (auto& last : one.awaited.last_messages(why))
      self_->send(one.broker, sse_event{protocol::encode({.data = std::move(last)})});
    return finish(number, sse_end{});
  }
  if (auto answer = one.awaited.json(why))
    finish(number, http_reply{std::move(*answer), {}});
  else
    finish(number, http_rejected{gone()});
}

/// A node that does not know the others yet would turn their sessions away.
void router_state::probe(const prober_actor& to) {
  if (routes_.settled())
    self_->send(to, http_ready{});
  else
    self_->send(to, http_rejected{nodes_not_known()});
}

void router_state::report(const collector_actor& to) {
  counted result;
  result.part.actors = 1;
  result.part.relayed_elsewhere = exchanges_.size();
  self_->send(to, std::move(result));
}

// -- the end ----------------------------------------------------------------------------

void router_state::take(const node_drains& msg) {
  if (!std::exchange(draining_, true))
    end_listening();
  is_last_ = is_last_ || msg.is_last;
  if (msg.at_once)
    leave(caf::exit_reason::user_shutdown);
  else
    end_when_idle();
}

/// Clients that listen here come back by another way, and hear there what they have missed.
void router_state::end_listening() {
  std::vector<std::uint64_t> ended;
  for (auto& [number, one] : exchanges_)
    if (one.listens && one.streams)
      ended.push_back(number);
  for (auto number : ended) {
    tell_closed(exchanges_.at(number).to, number);
    finish(number, sse_end{});
  }
}

void router_state::end_when_idle() {
  auto is_call = [](auto& one) { return !one.second.listens; };
  if (is_last_ && sought_.empty() && std::none_of(exchanges_.begin(), exchanges_.end(), is_call))
    leave(caf::exit_reason::user_shutdown);
}

/// This node goes; who owns the sessions does not. Who awaits an answer is told that none comes by this way.
void router_state::leave(const caf::error& why) {
  while (!exchanges_.empty())
    lose(exchanges_.begin()->first, cut_off);
  for (auto& [session, all] : std::exchange(sought_, {}))
    for (auto& one : all)
      refuse(one, unknown_owner());
  self_->quit(why);
}

void router_state::tell_closed(protocol::node_life node, std::uint64_t number) {
  if (auto gate = gates_.find(node); gate != gates_.end())
    self_->send(gate->second, relay_closed{setup_.self, number});
}

void router_state::on_exit_of(const caf::exit_msg& msg) {
  if (msg.source == registry_.address() || msg.source == self_->address())
    return leave(msg.reason);
  auto broker = brokers_.extract(msg.source);
  if (broker.empty())
    return;
  auto node = exchanges_.extract(broker.mapped());
  tell_closed(node.mapped().to, node.key());
  end_when_idle();
}

} // namespace troupe::actors

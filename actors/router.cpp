#include "actors/router.hpp"

#include "actors/relayed.hpp"
#include "protocol/http.hpp"
#include "protocol/sse.hpp"

#include <utility>

namespace troupe::actors {

namespace {

using way = protocol::session_route::way;

/// Requests that may wait for the store at a time: of all sessions, and of one.
constexpr std::size_t most_seeking = 1000;
constexpr std::size_t most_of_one = 64;

/// How much a client reads until the other node hears of it, in bytes.
constexpr std::size_t told_at_once = 256 * 1024;

constexpr const char* not_yet = "the nodes of the cluster are still looking for each other";
constexpr const char* undecided = "nobody can tell yet who owns the session";

} // namespace

router_state::router_state(pinned<interface>* self, registry_actor registry, router_setup setup)
    : self_{self}, registry_{std::move(registry)}, setup_{std::move(setup)}, routes_{setup_.ids,
                                                                                     setup_.store != nullptr} {}

router_actor::behavior_type router_state::make_behavior() {
  self_->set_exit_handler([this](caf::exit_msg& msg) { on_exit_of(msg); });
  return {
      [this](relay_answer& msg) { take(msg); },
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
      [this](members_of_cluster& msg) { change_members(msg); },
      [this](session_found& msg) { take(msg); },
      [this](node_drains&) { draining_ = true; },
      [this](report_request& msg) { report(msg.to); },
  };
}

// -- where it is ------------------------------------------------------------------------

/// A node asks another only for what that one should have; if it has not, the store may know why.
void router_state::find(waiting one) {
  auto route = routes_.find(one.what.session, setup_.self);
  if (route.is == way::nowhere || (one.relayed && !setup_.store))
    return refuse(one, protocol::session_not_found());
  if (one.relayed || route.is == way::ask_store)
    return seek(std::move(one));
  if (route.is == way::not_yet)
    return refuse(one, protocol::unavailable(not_yet));
  pass_on(route.owner, std::move(one));
}

/// What a client hears whose session has lost its node.
protocol::rejection router_state::gone() const {
  return setup_.store ? protocol::unavailable(undecided) : protocol::session_not_found();
}

void router_state::seek(waiting one) {
  auto session = one.what.session;
  auto found = sought_.find(session);
  auto others = found == sought_.end() ? 0 : found->second.size();
  if (draining_ || seeking_ == most_seeking || others == most_of_one)
    return refuse(one, protocol::unavailable(undecided));
  ++seeking_;
  sought_[session].push_back(std::move(one));
  if (others == 0)
    ask_store(session);
}

void router_state::ask_store(const std::string& session) {
  session_sought question{session, {}, caf::actor_cast<seeker_actor>(self_)};
  for (auto node : routes_.alive())
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
    self_->send(registry_, restore_session{msg.session, std::move(msg.record), std::move(msg.events)});
  auto owner = protocol::read_life(msg.owner);
  auto moved = msg.is == outcome::elsewhere && owner && routes_.is_alive(*owner);
  if (moved)
    routes_.moved(msg.session, *owner);
  for (auto& one : node.mapped()) {
    if (msg.is == outcome::ours)
      take_in(self_, registry_, std::move(one.what), std::move(one.broker), true);
    else if (moved && !one.relayed)
      pass_on(*owner, std::move(one));
    else
      refuse(one, msg.is == outcome::unknown ? protocol::session_not_found() : protocol::unavailable(undecided));
  }
}

void router_state::refuse(const waiting& one, protocol::rejection why) {
  self_->send(one.broker, http_rejected{std::move(why)});
}

// -- there and back ---------------------------------------------------------------------

void router_state::pass_on(protocol::node_life to, waiting one) {
  auto number = ++last_exchange_;
  self_->link_to(one.broker);
  brokers_.emplace(one.broker.address(), number);
  exchanges_.emplace(number,
                     passed_on{to, one.what.session, std::move(one.broker), protocol::lost_exchange{one.what.body}});
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
    routes_.lost(one.session);
    if (one.streams)
      return finish(msg.exchange, sse_end{});
    return finish(msg.exchange, http_rejected{std::move(msg.why)});
  case kind::end:
    return finish(msg.exchange, sse_end{});
  }
}

void router_state::publish(std::uint64_t number, passed_on& one, std::string text) {
  one.untold += text.size();
  self_->send(one.broker, sse_event{std::move(text)});
  if (one.untold >= told_at_once)
    self_->send(gates_.at(one.to), relay_taken{setup_.self, number, std::exchange(one.untold, 0)});
}

/// An answer is on its way: whatever becomes of the broker concerns the router no more.
template <class Answer>
void router_state::finish(std::uint64_t number, Answer answer) {
  auto node = exchanges_.extract(number);
  auto& broker = node.mapped().broker;
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
void router_state::lose(std::uint64_t number) {
  auto& one = exchanges_.at(number);
  if (one.streams) {
    if (auto last = one.awaited.last_event())
      self_->send(one.broker, sse_event{protocol::encode({.data = std::move(*last)})});
    return finish(number, sse_end{});
  }
  if (auto answer = one.awaited.json())
    finish(number, http_reply{std::move(*answer), {}});
  else
    finish(number, http_rejected{gone()});
}

/// A node that does not know the others yet would turn their sessions away.
void router_state::probe(const broker_actor& to) {
  if (routes_.settled())
    self_->send(to, http_ready{});
  else
    self_->send(to, http_rejected{protocol::unavailable(not_yet)});
}

void router_state::report(const collector_actor& to) {
  counted result;
  result.part.actors = 1;
  result.part.relayed_elsewhere = exchanges_.size();
  self_->send(to, std::move(result));
}

/// This node goes; who owns the sessions does not. Streams end, so that their clients come back by another way.
void router_state::leave(const caf::error& why) {
  while (!exchanges_.empty()) {
    auto& [number, one] = *exchanges_.begin();
    if (one.streams)
      finish(number, sse_end{});
    else
      lose(number);
  }
  self_->quit(why);
}

void router_state::on_exit_of(const caf::exit_msg& msg) {
  if (msg.source == registry_.address() || msg.source == self_->address())
    return leave(msg.reason);
  auto broker = brokers_.extract(msg.source);
  if (broker.empty())
    return;
  auto node = exchanges_.extract(broker.mapped());
  if (auto gate = gates_.find(node.mapped().to); gate != gates_.end())
    self_->send(gate->second, relay_closed{setup_.self, node.key()});
}

} // namespace troupe::actors

#include "tests/simulation/gate_actor.hpp"

#include "tests/simulation/client_messages.hpp"
#include "tests/simulation/node.hpp"

#include <utility>

namespace troupe::tests::simulation {

// -- the relay -------------------------------------------------------------------------------

relay::relay(std::shared_ptr<process> at, network& net, std::shared_ptr<link_end> to, std::uint64_t exchange,
             model& checks, const request& what)
    : broker{std::move(at)}, net_{net}, to_{std::move(to)}, exchange_{exchange}, checks_{checks},
      calls_{call_tokens(what.body.messages)}, unheld_{unheld_request(what.session, what.body)} {}

relay::~relay() {
  if (is_finished_ || !at().is_alive)
    return;
  if (is_held_)
    fail();
  else
    send({.is = answer::kind::rejected, .why = std::move(unheld_)});
}

void relay::fail() {
  for (auto& token : calls_)
    checks_.is_lost(token);
  send({.is = answer::kind::lost});
}

void relay::send(answer what) {
  net_.send(to_, [number = exchange_, what = std::move(what), back = to_->other](node& other) {
    other.answered(number, what, back.lock());
  });
}

void relay::closed() {
  post([this] {
    is_finished_ = true;
    quit();
  });
}

/// Whether a server has received the call is not checked: the other node does not know it either.
void relay::end() {
  post([this] {
    if (is_held_ && !std::exchange(is_finished_, true))
      send({.is = answer::kind::lost});
    quit();
  });
}

void relay::handle(answer& what) {
  using kind = answer::kind;
  auto is_last = what.is != kind::begin && what.is != kind::event;
  auto is_event = what.is == kind::begin || what.is == kind::event || what.is == kind::end;
  auto text = is_event ? std::exchange(what.text, {}) : std::string{};
  if (what.is == kind::begin)
    send({.is = kind::begin});
  if (!text.empty() && !unread_.sent(text.size()))
    return send({.is = kind::end});
  if (!text.empty())
    send({.is = kind::event, .text = std::move(text)});
  if (!is_last)
    return;
  is_finished_ = true;
  send(std::move(what));
  quit();
}

// -- from other nodes ------------------------------------------------------------------------

void gate_actor::greeted(const node_hello& hello, const std::shared_ptr<link_end>& by) {
  post([this, hello, by] {
    if (auto& router = routers_[hello.life]; router != by) {
      close_if([&](auto life) { return life == hello.life; });
      router = by;
      early_.insert(hello.life);
    }
    node_.cluster().greeted(hello);
  });
}

void gate_actor::receive(node_life from, std::uint64_t number, request what, const std::shared_ptr<link_end>& by) {
  post([this, which = exchange{from, number}, what = std::move(what), by] { serve(which, what, by); });
}

void gate_actor::serve(const exchange& which, request what, const std::shared_ptr<link_end>& by) {
  auto router = routers_.find(which.first);
  if (router == routers_.end()) {
    answer no{.is = answer::kind::rejected, .why = nodes_not_known()};
    return net_.send(
        by, [number = which.second, no, back = by->other](node& other) { other.answered(number, no, back.lock()); });
  }
  if (is_closed_) {
    answer no{.is = answer::kind::rejected, .why = owner_unknown()};
    return net_.send(
        by, [number = which.second, no, back = by->other](node& other) { other.answered(number, no, back.lock()); });
  }
  if (relays_.contains(which))
    return;
  auto made = std::make_shared<relay>(home(), net_, router->second, which.second, node_.checks(), what);
  relays_.emplace(which, made);
  if (node_.has(planted::dropped_at_end))
    made->held(true);
  made->watch(weak_from_this(), [this, which] { forget(which); });
  what.from = std::move(made);
  node_.registry().submit(std::move(what));
}

void gate_actor::taken(node_life from, std::uint64_t number, std::size_t bytes) {
  post([this, which = exchange{from, number}, bytes] {
    auto found = relays_.find(which);
    if (auto one = found == relays_.end() ? nullptr : found->second.lock())
      one->taken(bytes);
  });
}

void gate_actor::closed(node_life from, std::uint64_t number) {
  post([this, which = exchange{from, number}] {
    auto found = relays_.find(which);
    if (found == relays_.end())
      return;
    if (auto one = found->second.lock())
      one->closed();
    if (!leaves_)
      relays_.erase(found);
  });
}

void gate_actor::session_taken(const std::string& session) {
  post([this, session] { node_.registry().end_taken(session); });
}

// -- members ---------------------------------------------------------------------------------

void gate_actor::members(cluster_members now) {
  post([this, now = std::move(now)]() mutable { change_members(now); });
}

void gate_actor::change_members(cluster_members& now) {
  auto before = std::exchange(routers_, {});
  for (auto& one : now.nodes) {
    early_.erase(one.node.life);
    routers_.emplace(one.node.life, std::move(one.link));
  }
  std::erase_if(early_, [&](auto life) { return !before.at(life)->is_open; });
  for (auto life : early_)
    routers_.emplace(life, before.at(life));
  close_if([&](auto life) {
    auto was = before.find(life);
    auto is = routers_.find(life);
    return was == before.end() || is == routers_.end() || is->second != was->second;
  });
}

template <class Test>
void gate_actor::close_if(Test is_lost) {
  for (auto at = relays_.begin(); at != relays_.end();) {
    auto closes = is_lost(at->first.first);
    if (auto one = at->second.lock(); one && closes)
      one->end();
    at = closes && !leaves_ ? relays_.erase(at) : std::next(at);
  }
}

// -- the end ---------------------------------------------------------------------------------

void gate_actor::close() {
  post([this] {
    is_closed_ = true;
    node_.registry().gate_closed();
  });
}

void gate_actor::forget(const exchange& which) {
  relays_.erase(which);
  if (leaves_ && relays_.empty())
    end(true);
}

void gate_actor::leave() {
  post([this] { leave_now(); });
}

/// Other nodes read a normal end as "owes no answer".
void gate_actor::leave_now() {
  if (relays_.empty())
    end(true);
  else if (std::exchange(leaves_, true))
    end(false);
}

void gate_actor::end(bool is_normal) {
  ended_(is_normal);
  quit();
}

} // namespace troupe::tests::simulation

#include "tests/simulation/router_actor.hpp"

#include "tests/simulation/node.hpp"

#include <utility>
#include <variant>

namespace troupe::tests::simulation {

namespace {

constexpr std::size_t restores_a_second = 50;

} // namespace

router_actor::router_actor(std::shared_ptr<process> at, node& of, network& net, sealed_session_ids ids, bool has_store,
                           lost_lives::limits of_lost)
    : actor{std::move(at)}, node_{of}, net_{net}, routing_{std::move(ids), of.life(), has_store, restores_a_second,
                                                           of_lost},
      forwarded_{*this, of, net, [this] { end_when_idle(); }} {}

// -- routing ---------------------------------------------------------------------------------

void router_actor::submit(request what) {
  post([this, what = std::move(what)]() mutable { find(std::move(what)); });
}

void router_actor::find(request one) {
  auto to = route(one);
  follow(std::move(to), std::move(one));
}

request_route router_actor::route(const request& one) {
  if (!one.key.empty() && node_.has(planted::placed_here))
    return serve_here{};
  if (!one.key.empty())
    return routing_.asked_by_key(one.key, one.body.messages.front().id);
  if (one.via == transport::stateless && !one.session.empty())
    return routing_.asked_of_lease(one.session, one.body, one.came, now());
  return routing_.asked(one.session, one.body, one.came, now());
}

void router_actor::follow(request_route to, request one) {
  std::visit([&](auto& effect) { perform(effect, std::move(one)); }, to);
}

void router_actor::perform(refuse_request& effect, request one) {
  one.from->tell({.is = answer::kind::rejected, .why = std::move(effect.why)});
}

void router_actor::perform(const forward_request& effect, request one) {
  auto may_move = !effect.last_try && (!one.key.empty() || routing_.may_move(one.session));
  pass_on(effect.to, std::move(one), may_move);
}

void router_actor::perform(const await_nodes&, request one) {
  early_.push_back(std::move(one));
  remind(routing_.deadline());
}

void router_actor::perform(const serve_here&, request one) {
  if (!one.key.empty())
    one.came = request_source::router;
  node_.registry().submit(std::move(one));
}

void router_actor::perform(const await_store&, request one) {
  sought_[one.session].push_back(std::move(one));
  remind(routing_.deadline());
}

void router_actor::perform(const ask_store& effect, request one) {
  ask(one.session, effect);
  sought_[one.session].push_back(std::move(one));
}

void router_actor::ask(const std::string& session, ask_store question) {
  node_.registry().search(session, std::move(question));
}

void router_actor::ask_due() {
  for (auto& [session, question] : routing_.due(now()))
    ask(session, std::move(question));
  remind(routing_.deadline());
}

void router_actor::tick() {
  if (routing_.must_route_again(now()))
    route_early();
  ask_due();
  end_when_idle();
}

void router_actor::route_early() {
  for (auto& one : std::exchange(early_, {}))
    find(std::move(one));
}

// -- answers of the store --------------------------------------------------------------------

void router_actor::found(search_outcome what, std::uint64_t term) {
  post([this, what = std::move(what), term]() mutable {
    handle(what, term);
    end_when_idle();
  });
}

void router_actor::handle(search_outcome& what, std::uint64_t term) {
  auto effect = routing_.found(what.session, what.is, what.owner, now());
  if (auto waiting = sought_.extract(what.session); effect && waiting)
    std::visit([&](auto& one) { perform(one, what, term, std::move(waiting.mapped())); }, *effect);
  ask_due();
}

void router_actor::perform(const restore_here&, search_outcome& what, std::uint64_t term, requests waiting) {
  for (auto& [life, gate] : gates_)
    net_.send(gate, [session = what.session](node& other) { other.gate().session_taken(session); });
  node_.registry().restore(std::move(what), term, std::move(waiting));
}

void router_actor::perform(const forward_all_waiting& effect, search_outcome& what, std::uint64_t, requests waiting) {
  if (effect.returns)
    node_.store()->returned(what.session, what.taken);
  for (auto& one : waiting)
    follow(one.came == request_source::node ? effect.of_nodes : effect.of_clients, std::move(one));
}

void router_actor::perform(const ask_anew&, search_outcome&, std::uint64_t, requests waiting) {
  for (auto& one : waiting)
    find(std::move(one));
}

// -- forwarded requests ----------------------------------------------------------------------

void router_actor::pass_on(node_life to, request what, bool may_move) {
  what.came = routing_.is_draining() ? request_source::leaving_node : request_source::node;
  forwarded_.pass_on(to, gates_.at(to), std::move(what), may_move);
}

void router_actor::answered(std::uint64_t number, answer what) {
  auto to = number + (node_.has(planted::answer_misdirected) && what.is == answer::kind::reply ? 1 : 0);
  post([this, to, what = std::move(what)]() mutable {
    handle(to, what);
    end_when_idle();
  });
}

void router_actor::handle(std::uint64_t number, answer& what) {
  auto* of = forwarded_.find(number);
  if (!of)
    return;
  if (what.is == answer::kind::rejected)
    return handle_refusal(number, what);
  if (what.is != answer::kind::lost)
    return forwarded_.receive_answer(number, std::move(what));
  routing_.lost(of->exchange.session());
  fail(number);
}

void router_actor::handle_refusal(std::uint64_t number, answer& what) {
  auto& of = *forwarded_.find(number);
  switch (routing_.refused(of.exchange, what.why, of.copy.has_value())) {
  case after_refusal::send_to_client:
    return forwarded_.finish(number, std::move(what));
  case after_refusal::fail:
    return fail(number);
  case after_refusal::ask_again:
    return ask_again(number);
  }
}

void router_actor::ask_again(std::uint64_t number) {
  auto& of = forwarded_.find(number)->exchange;
  auto to = of.key().empty() ? routing_.asked_again(of.session(), of.to(), now())
                             : routing_.asked_by_key(of.key(), of.request(), of.to());
  follow(std::move(to), forwarded_.take_back(number));
}

void router_actor::fail(std::uint64_t number) {
  if (!node_.has(planted::answer_left_out))
    forwarded_.fail(number, unanswered_requests::node_lost,
                    routing_.gone(forwarded_.find(number)->exchange.to(), now()));
}

// -- members ---------------------------------------------------------------------------------

void router_actor::members(cluster_members all) {
  post([this, all = std::move(all)]() mutable {
    change_members(all);
    end_when_idle();
  });
}

void router_actor::change_members(cluster_members& all) {
  gates_.clear();
  std::vector<known_node> nodes;
  for (auto& one : all.nodes) {
    gates_.emplace(one.node.life, std::move(one.link));
    nodes.push_back(std::move(one.node));
  }
  auto left = std::exchange(left_, {});
  if (routing_.members(nodes, all.settled, left, now(), all.ended))
    node_.registry().change_contact("nodes", routing_.is_cut_off());
  if (node_.store())
    node_.registry().alive(routing_.alive());
  for (auto& [life, gate] : gates_)
    for (auto& session : routing_.extract_taken(life))
      net_.send(gate, [session](node& other) { other.gate().session_taken(session); });
  auto is_lost = [this](auto& of) {
    auto has = gates_.find(of.exchange.to());
    return has == gates_.end() || has->second != of.gate;
  };
  for (auto number : forwarded_.numbers(is_lost))
    lose(number, left.contains(forwarded_.find(number)->exchange.to()));
  if (routing_.is_ready())
    route_early();
}

/// Handles a request to a node that is gone. A node that `has_left` without an answer did not run it.
void router_actor::lose(std::uint64_t number, bool has_left) {
  auto& of = *forwarded_.find(number);
  auto is_undone = has_left && !of.exchange.streams();
  if (is_undone && of.copy)
    ask_again(number);
  else if (is_undone)
    forwarded_.refuse(number, routing_.node_gone(of.exchange, now()));
  else
    fail(number);
}

void router_actor::node_left(node_life which) {
  post([this, which] { left_.insert(which); });
}

// -- the end ---------------------------------------------------------------------------------

void router_actor::drains(bool is_last, bool at_once) {
  post([this, is_last, at_once] { drain_now(is_last, at_once); });
}

void router_actor::drain_now(bool is_last, bool at_once) {
  routing_.drains(is_last);
  forwarded_.end_listening();
  if (at_once)
    leave();
  else
    end_when_idle();
}

void router_actor::end_when_idle() {
  if (routing_.may_end() && !forwarded_.has_calls())
    leave();
}

void router_actor::stop() {
  post([this] { leave(); });
}

/// Fails what is pending. The registry ends with this actor.
void router_actor::leave() {
  if (has_ended())
    return;
  if (!node_.has(planted::answer_left_out))
    forwarded_.fail_all(forwarded_exchange::cut_off, owner_unknown());
  for (auto& one : std::exchange(early_, {}))
    one.from->tell({.is = answer::kind::rejected, .why = nodes_not_known()});
  for (auto& [session, all] : std::exchange(sought_, {}))
    for (auto& one : all)
      one.from->tell({.is = answer::kind::rejected, .why = owner_unknown()});
  quit();
  node_.registry().stop();
}

} // namespace troupe::tests::simulation

#include "actors/cluster/router.hpp"

#include "actors/relayed.hpp"
#include "actors/runtime/unit.hpp"
#include "protocol/rejection.hpp"

#include <utility>

namespace troupe::actors {

router_state::router_state(pinned<interface>* self, registry_actor registry, router_setup setup)
    : self_{self}, registry_{std::move(registry)}, store_{std::move(setup.store)}, token_of_{std::move(setup.token_of)},
      others_{std::move(setup.others)}, routing_{std::move(setup.ids), setup.self, store_ != nullptr,
                                                 setup.restores_a_second, setup.of_lost},
      reminder_{self->at()}, forwarded_{self, setup.self}, unready_{share_of(self->at(), protocol::metric::unready,
                                                                             {"cluster"}, 1)} {}

router_actor::behavior_type router_state::make_behavior() {
  self_->set_exit_handler([this](caf::exit_msg& msg) { on_exit_of(msg); });
  return {
      [this](relay_answer& msg) {
        handle(msg);
        end_when_idle();
      },
      [this](client_post& msg) { find(waiting(msg)); },
      [this](client_listen& msg) { find(waiting(msg)); },
      [this](client_delete& msg) { find(waiting(msg)); },
      [this](lease_lookup& msg) { find_lease(msg); },
      [this](admin_request& msg) { pass_on(msg); },
      [this](readiness_probe& msg) { probe(msg); },
      [this](cluster_members& msg) {
        change_members(msg);
        end_when_idle();
      },
      [this](node_left& msg) { left_.insert(msg.node); },
      [this](session_found& msg) {
        handle(msg);
        end_when_idle();
      },
      [this](node_drains& msg) { handle(msg); },
      [this](node_open& msg) { routing_.opens(msg.is_so); },
      [this](report_request& msg) { report(msg.to); },
      [this](tick&) {
        reminder_.arrived();
        on_time();
      },
  };
}

// -- routing ----------------------------------------------------------------------------

template <class Message>
waiting_request router_state::waiting(Message& msg) const {
  waiting_request result{make_relay_request(msg), msg.broker, msg.came};
  if (token_of_)
    result.what.token = token_of_(result.what.head.caller);
  return result;
}

void router_state::find(waiting_request one) {
  auto& what = one.what;
  auto has_lease = what.head.via == protocol::transport::stateless && !what.head.session.empty();
  auto to = has_lease ? routing_.asked_of_lease(what.head.session, what.body, one.came, self_->at().now())
                      : routing_.asked(what.head.session, what.body, one.came, self_->at().now());
  follow(std::move(to), std::move(one));
}

void router_state::find_lease(lease_lookup& msg) {
  auto to = routing_.asked_by_key(msg.key.text, msg.request.body.messages.front().id);
  if (std::holds_alternative<protocol::serve_here>(to)) {
    msg.request.came = protocol::request_source::router;
    self_->send(registry_, std::move(msg.request));
  } else if (std::holds_alternative<protocol::await_nodes>(to)) {
    early_leases_.push_back(std::move(msg));
  } else {
    auto one = waiting(msg.request);
    one.key = std::move(msg.key.text);
    follow(std::move(to), std::move(one));
  }
}

void router_state::pass_on(admin_request& msg) {
  auto node = names_.find(msg.node);
  if (node == names_.end())
    return self_->send(msg.broker, http_rejected{protocol::refusal(404, "the cluster has no node of this name")});
  forwarded_.pass_on(node->second, {make_relay_request(msg), std::move(msg.broker)}, false);
}

void router_state::follow(protocol::request_route to, waiting_request one) {
  std::visit([&](auto& effect) { perform(effect, std::move(one)); }, to);
}

void router_state::perform(protocol::refuse_request& effect, const waiting_request& one) {
  self_->send(one.broker, http_rejected{std::move(effect.why)});
}

void router_state::perform(const protocol::forward_request& effect, waiting_request one) {
  auto may_move = !effect.last_try && (!one.key.empty() || routing_.may_move(one.what.head.session));
  one.what.leaves = routing_.is_draining();
  forwarded_.pass_on(effect.to, std::move(one), may_move);
}

void router_state::perform(const protocol::await_nodes&, waiting_request one) {
  early_.push_back(std::move(one));
  reminder_.set(self_->address(), routing_.deadline());
}

void router_state::perform(const protocol::await_store&, waiting_request one) {
  sought_[one.what.head.session].push_back(std::move(one));
  reminder_.set(self_->address(), routing_.deadline());
}

void router_state::perform(protocol::ask_store& effect, waiting_request one) {
  ask(one.what.head.session, std::move(effect));
  sought_[one.what.head.session].push_back(std::move(one));
}

/// Takes a request back to this node: its session came here meanwhile. Or it has a key, and another node refused it
/// because that takes nothing new.
void router_state::perform(const protocol::serve_here&, waiting_request one) {
  auto came = one.key.empty() ? one.came : protocol::request_source::router;
  submit_request(self_, registry_, std::move(one.what), std::move(one.broker), came, self_->at().number());
}

/// The registry passes the search on to the store unless it has the session, and `nodes_alive` behind it.
void router_state::ask(const std::string& session, protocol::ask_store question) {
  self_->send(registry_, session_search{session, std::move(question.alive), std::move(question.uncertain_owner),
                                        caf::actor_cast<search_receiver_actor>(self_)});
}

void router_state::ask_due() {
  for (auto& [session, question] : routing_.due(self_->at().now()))
    ask(session, std::move(question));
  reminder_.set(self_->address(), routing_.deadline());
}

void router_state::on_time() {
  if (routing_.must_route_again(self_->at().now()))
    route_early();
  ask_due();
  end_when_idle();
}

// -- answers of the store ---------------------------------------------------------------

void router_state::handle(session_found& msg) {
  auto effect = routing_.found(msg.session, msg.is, msg.owner, self_->at().now());
  if (auto waiting = sought_.extract(msg.session); effect && waiting)
    std::visit([&](auto& one) { perform(one, msg, std::move(waiting.mapped())); }, *effect);
  ask_due();
}

void router_state::perform(const protocol::restore_here&, session_found& msg, std::vector<waiting_request> waiting) {
  forwarded_.tell_all(session_taken{msg.session});
  self_->send(registry_, restore_session{std::move(msg), std::move(waiting)});
}

void router_state::perform(const protocol::forward_all_waiting& effect, session_found& msg,
                           std::vector<waiting_request> waiting) {
  if (effect.returns)
    self_->send(store_, session_returned{msg.session, msg.taken});
  for (auto& one : waiting)
    follow(one.came == protocol::request_source::node ? effect.of_nodes : effect.of_clients, std::move(one));
}

void router_state::perform(const protocol::ask_anew&, session_found&, std::vector<waiting_request> waiting) {
  for (auto& one : waiting)
    find(std::move(one));
}

// -- answers of other nodes -------------------------------------------------------------

void router_state::handle(relay_answer& msg) {
  using kind = relay_answer::kind;
  auto of = forwarded_.find(msg.exchange);
  if (!of)
    return;
  if (msg.is == kind::rejected)
    return handle_refusal(msg, *of);
  if (msg.is != kind::lost)
    return forwarded_.receive_answer(msg);
  routing_.lost(of->session());
  fail(msg.exchange);
}

void router_state::handle_refusal(relay_answer& msg, const protocol::forwarded_exchange& of) {
  using protocol::after_refusal;
  if (forwarded_.is_operators(msg.exchange))
    return forwarded_.refuse(msg.exchange, std::move(msg.why));
  switch (routing_.refused(of, msg.why, forwarded_.has_copy(msg.exchange))) {
  case after_refusal::send_to_client:
    return forwarded_.refuse(msg.exchange, std::move(msg.why));
  case after_refusal::fail:
    return fail(msg.exchange);
  case after_refusal::ask_again:
    return ask_again(msg.exchange, of);
  }
}

void router_state::ask_again(std::uint64_t number, const protocol::forwarded_exchange& of) {
  auto to = of.key().empty() ? routing_.asked_again(of.session(), of.to(), self_->at().now())
                             : routing_.asked_by_key(of.key(), of.request(), of.to());
  follow(std::move(to), forwarded_.take_back(number));
}

void router_state::fail(std::uint64_t number) {
  auto why = routing_.gone(forwarded_.find(number)->to(), self_->at().now());
  forwarded_.fail(number, protocol::unanswered_requests::node_lost, why);
}

// -- members ----------------------------------------------------------------------------

void router_state::change_members(cluster_members& msg) {
  forwarded_requests<interface>::gates gates;
  std::vector<protocol::known_node> nodes;
  names_.clear();
  for (auto& one : msg.nodes) {
    names_.emplace(one.node.name, one.node.life);
    gates.emplace(one.node.life, std::move(one.gate));
    nodes.push_back(std::move(one.node));
  }
  auto left = std::exchange(left_, {});
  if (routing_.members(nodes, msg.settled, left, self_->at().now(), msg.ended))
    self_->send(registry_, node_cut_off{node_cut_off::side::nodes, routing_.is_cut_off()});
  if (store_)
    self_->send(registry_, nodes_alive{routing_.alive()});
  for (auto& [node, gate] : gates)
    for (auto& session : routing_.extract_taken(node))
      self_->send(gate, session_taken{std::move(session)});
  for (auto number : forwarded_.members(std::move(gates)))
    lose(number, left.contains(forwarded_.find(number)->to()));
  unready_.set(routing_.is_ready() ? 0 : 1);
  if (others_)
    others_->tell(routing_.has_open_node());
  if (routing_.is_ready())
    route_early();
}

void router_state::route_early() {
  for (auto& one : std::exchange(early_, {}))
    if (one.key.empty()) {
      find(std::move(one));
    } else {
      auto to = routing_.asked_by_key(one.key, one.what.body.messages.front().id);
      follow(std::move(to), std::move(one));
    }
  for (auto& one : std::exchange(early_leases_, {}))
    find_lease(one);
}

/// Handles a request to a node that is gone. A node that `has_left` without an answer did not run it: another node gets
/// it. Without a copy it is refused.
void router_state::lose(std::uint64_t number, bool has_left) {
  if (forwarded_.is_operators(number))
    return fail(number);
  auto& of = *forwarded_.find(number);
  auto is_undone = has_left && !of.streams();
  if (is_undone && forwarded_.has_copy(number))
    ask_again(number, of);
  else if (is_undone)
    forwarded_.refuse(number, routing_.node_gone(of, self_->at().now()));
  else
    fail(number);
}

/// Reports this node unready until it knows the other nodes: requests for their sessions would have to wait.
void router_state::probe(readiness_probe& msg) {
  if (!routing_.is_ready())
    msg.reasons.insert(msg.reasons.begin(), protocol::nodes_missing(routing_.is_cut_off()));
  if (msg.reasons.empty())
    self_->send(msg.broker, http_ready{});
  else
    self_->send(msg.broker, http_rejected{protocol::not_ready(msg.reasons)});
}

void router_state::report(const collector_actor& to) {
  counted result{{.actors = 1}};
  result.part.relayed_elsewhere = forwarded_.size();
  if (!routing_.is_ready())
    result.part.not_ready.push_back(protocol::nodes_missing(routing_.is_cut_off()));
  self_->send(to, std::move(result));
}

// -- exit -------------------------------------------------------------------------------

void router_state::handle(const node_drains& msg) {
  routing_.drains(msg.is_last);
  forwarded_.end_listening();
  if (msg.at_once)
    leave(caf::exit_reason::user_shutdown);
  else
    end_when_idle();
}

void router_state::end_when_idle() {
  if (routing_.may_end() && !forwarded_.has_calls())
    leave(caf::exit_reason::user_shutdown);
}

/// Fails all pending requests and quits: this node exits, although the owners of the sessions may not.
void router_state::leave(const caf::error& why) {
  forwarded_.fail_all(protocol::forwarded_exchange::cut_off, protocol::owner_unknown());
  for (auto& one : std::exchange(early_, {}))
    self_->send(one.broker, http_rejected{protocol::nodes_not_known()});
  for (auto& one : std::exchange(early_leases_, {}))
    self_->send(one.request.broker, http_rejected{protocol::nodes_not_known()});
  for (auto& [session, all] : std::exchange(sought_, {}))
    for (auto& one : all)
      self_->send(one.broker, http_rejected{protocol::owner_unknown()});
  self_->quit(why);
}

void router_state::on_exit_of(const caf::exit_msg& msg) {
  if (msg.source == registry_.address() || msg.source == self_->address())
    leave(msg.reason);
  else if (forwarded_.on_exit_of(msg.source))
    end_when_idle();
}

} // namespace troupe::actors

// Stopping a gateway, perhaps after its sessions have left for other nodes at a rate.

#include "actors/session/registry.hpp"
#include "protocol/rejection.hpp"
#include "protocol/text/json.hpp"

#include <utility>

namespace troupe::actors {

void registry_state::begin_drain(const drain& msg) {
  using sessions = protocol::gateway_drain::sessions;
  auto what = msg.is_late ? admission_.stopping().late() : admission_.stopping().begin(msg.at_once);
  is_last_ = is_last_ || msg.is_last;
  pace_.reset();
  to_move_.set(0);
  note_own_end(true);
  if (cluster_.cluster) {
    self_->send(cluster_.cluster, node_drains{});
    self_->send(cluster_.router, node_drains{});
  }
  if (what == sessions::end)
    for (auto& [id, one] : sessions_)
      self_->send(one.session, msg);
  else if (what == sessions::move)
    move_sessions();
  end_when_drained();
}

void registry_state::note_own_end(bool is_so) {
  if (own_end_ && std::exchange(is_end_noted_, is_so) != is_so)
    own_end_->add(is_so ? 1 : -1);
}

void registry_state::probe(readiness_probe& msg) {
  auto stops = !admission_.stopping().takes_new();
  auto reasons = servers_.unready();
  if (stops)
    reasons.insert(reasons.begin(), protocol::gateway_drains());
  if (setup_.on_probed)
    setup_.on_probed(msg.who, reasons.empty());
  if (cluster_.router && !stops)
    self_->send(cluster_.router, readiness_probe{std::move(msg.who), std::move(msg.broker), std::move(reasons)});
  else if (reasons.empty())
    self_->send(msg.broker, http_ready{});
  else
    self_->send(msg.broker, http_rejected{protocol::not_ready(reasons)});
}

// -- at a rate ----------------------------------------------------------------------------------

/// A repeated order does not hurry the drain: that would cut off calls that may still finish.
void registry_state::answer(const protocol::drain_gateway& what, const broker_actor& to) {
  if (admission_.stopping().has_begun())
    self_->send(to, http_reply{R"({"draining":true})", {}});
  else if (what.rate)
    drain_at(*what.rate, to);
  else
    setup_.carry_out(what, to);
}

/// Returns why no session can leave, or why the node could not end when all have left.
std::optional<protocol::rejection> registry_state::refuse_rate() const {
  if (!setup_.describe_node().can.drain)
    return protocol::refusal(409, "the program that this gateway is part of does not take this order");
  if (!cluster_.router)
    return protocol::refusal(409, "this gateway is no node of a cluster: its sessions can go nowhere, at no rate");
  if (!cluster_.store)
    return protocol::refusal(409, "no session can leave this node: its cluster has no store that keeps sessions");
  if (!cluster_.others || !cluster_.others->are_there())
    return protocol::refusal(409, "no other node of the cluster takes sessions now");
  return std::nullopt;
}

void registry_state::drain_at(const protocol::drain_rate& rate, const broker_actor& to) {
  if (auto why = refuse_rate())
    return self_->send(to, http_rejected{std::move(*why)});
  auto text = protocol::drain_rate_text(rate);
  setup_.session->log(log_level::info, "sessions leave at a rate", {{"rate", text}});
  if (pace_)
    pace_->change(rate, self_->at().now());
  else
    pace_.emplace(rate, self_->at().now());
  open_node(false);
  self_->send(to, http_reply{"{\"draining\":true,\"rate\":" + protocol::quoted(text) + "}", {}});
  go_on_draining();
}

void registry_state::answer(const protocol::undrain_gateway&, const broker_actor& to) {
  if (admission_.stopping().has_begun() || (pace_ && pace_->is_over()))
    return self_->send(to, http_rejected{protocol::refusal(409, "it is about to end, and there is no way back")});
  if (!pace_)
    return self_->send(to, http_rejected{protocol::refusal(409, "it does not drain")});
  pace_.reset();
  to_move_.set(0);
  setup_.session->log(log_level::info, "sessions stay after all");
  open_node(true);
  self_->send(to, http_reply{R"({"draining":false})", {}});
}

void registry_state::open_node(bool is_so) {
  is_so ? admission_.stopping().open() : admission_.stopping().close();
  note_own_end(!is_so);
  self_->send(cluster_.cluster, node_open{is_so});
  self_->send(cluster_.router, node_open{is_so});
}

/// Lets sessions leave that are due. When all have left, orders the host's program to end.
void registry_state::go_on_draining() {
  if (!pace_)
    return;
  auto all = movable_sessions();
  to_move_.set(std::ssize(all));
  for (auto number : pace_->tick(std::move(all), cluster_.others->are_there(), self_->at().now()))
    self_->send(numbered(number)->session, session_departs{});
  if (pace_->is_over())
    setup_.carry_out(protocol::drain_gateway{}, {}); // repeated until it is done
  reminder_.set(self_->address(), pace_->deadline());
}

std::vector<protocol::movable_session> registry_state::movable_sessions() const {
  std::vector<protocol::movable_session> result;
  for (auto& [id, one] : sessions_)
    if (one.kept)
      result.push_back({one.number, one.idle->since(), one.kept->is_ours(self_->at().now())});
  return result;
}

protocol::live_node::leaving registry_state::progress() const {
  auto to_move = movable_sessions().size();
  return {.rate = protocol::drain_rate_text(pace_->rate()),
          .to_move = to_move,
          .moved = pace_->moved(),
          .stay = sessions_.size() - to_move};
}

// -- the end ------------------------------------------------------------------------------------

/// Answers from other nodes still pass through the router: it ends after them, and the registry with the router.
void registry_state::end_when_drained() {
  auto hurries = admission_.stopping().is_hurried();
  if (!admission_.stopping().has_begun() || !(is_unused() || (hurries && ids_.empty())))
    return;
  if (other_)
    self_->send(other_, node_drains{.is_last = true, .at_once = hurries});
  else if (!cluster_.router)
    self_->quit(caf::exit_reason::user_shutdown);
  else if (auto told = std::exchange(setup_.on_left, nullptr))
    told();
  if (cluster_.router && (is_last_ || hurries || !awaits_last_))
    self_->send(cluster_.cluster, node_drains{.is_last = true});
}

/// Sent after all requests of other nodes, as the gate is closed.
void registry_state::end_router() {
  self_->send(cluster_.router, node_drains{.is_last = true, .at_once = admission_.stopping().is_hurried()});
}

} // namespace troupe::actors

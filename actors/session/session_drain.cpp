#include "actors/session/session_drain.hpp"

#include "protocol/rejection.hpp"
#include "protocol/text/json.hpp"

#include <iterator>
#include <utility>

namespace troupe::actors {

session_drain::session_drain(registry_parts& parts, session_ownership& ownership, const admission_queue& queue)
    : parts_{parts}, ownership_{ownership}, queue_{queue}, awaits_last_{parts.setup.on_left != nullptr},
      own_end_{parts.self->at().metrics() ? &parts.self->at().metrics()->number(protocol::metric::unready, {"gateway"})
                                          : nullptr},
      to_move_{share_of(parts.self->at(), protocol::metric::sessions_to_move)}, reminder_{parts.self->at()} {}

void session_drain::begin(const drain& msg) {
  using sessions = protocol::gateway_drain::sessions;
  if (msg.step == drain_step::close_sessions)
    return close_sessions({.grace = msg.grace});
  const auto at_once = msg.step == drain_step::at_once;
  auto& stopping = parts_.admission.stopping();
  auto what = msg.step == drain_step::late ? stopping.late() : stopping.begin(at_once);
  is_last_ = is_last_ || msg.step == drain_step::last;
  pace_.reset();
  to_move_.set(0);
  note_own_end(true);
  if (parts_.other)
    parts_.self->send(parts_.other, node_drains{});
  if (parts_.cluster.cluster) {
    parts_.self->send(parts_.cluster.cluster, node_drains{});
    parts_.self->send(parts_.cluster.router, node_drains{});
  }
  if (what == sessions::end)
    close_sessions({.at_once = at_once});
  else if (what == sessions::move)
    ownership_.move_sessions();
  end_when_drained();
}

void session_drain::close_sessions(const protocol::session_closing& how) {
  for (auto& [id, one] : parts_.book.all())
    parts_.close(one, how);
}

void session_drain::note_own_end(bool is_so) {
  if (own_end_ && std::exchange(is_end_noted_, is_so) != is_so)
    own_end_->add(is_so ? 1 : -1);
}

void session_drain::probe(readiness_probe& msg) {
  auto stops = !parts_.admission.stopping().takes_new();
  auto reasons = parts_.servers.unready();
  if (stops)
    reasons.insert(reasons.begin(), protocol::gateway_drains());
  if (parts_.setup.on_probed)
    parts_.setup.on_probed(msg.who, reasons.empty());
  if (parts_.cluster.router && !stops)
    parts_.self->send(parts_.cluster.router,
                      readiness_probe{std::move(msg.who), std::move(msg.broker), std::move(reasons)});
  else if (reasons.empty())
    parts_.self->send(msg.broker, http_ready{});
  else
    parts_.self->send(msg.broker, http_rejected{protocol::not_ready(reasons)});
}

// -- at a rate ----------------------------------------------------------------------------------

/// A repeated order does not hurry the drain: that would cut off calls that may still finish.
void session_drain::answer(const protocol::drain_gateway& what, const broker_actor& to) {
  if (parts_.admission.stopping().has_begun())
    parts_.self->send(to, http_reply{R"({"draining":true})", {}});
  else if (what.rate)
    begin_at(*what.rate, to);
  else
    parts_.setup.carry_out(what, to);
}

/// Returns why no session can leave, or why the node could not end when all have left.
std::optional<protocol::rejection> session_drain::refuse_rate() const {
  if (!parts_.setup.describe_node().can.drain)
    return protocol::refusal(409, "the program that this gateway is part of does not take this order");
  if (!parts_.cluster.router)
    return protocol::refusal(409, "this gateway is no node of a cluster: its sessions can go nowhere, at no rate");
  if (!parts_.cluster.store)
    return protocol::refusal(409, "no session can leave this node: its cluster has no store that keeps sessions");
  if (!parts_.cluster.others || !parts_.cluster.others->are_there())
    return protocol::refusal(409, "no other node of the cluster takes sessions now");
  return std::nullopt;
}

void session_drain::begin_at(const protocol::drain_rate& rate, const broker_actor& to) {
  if (auto why = refuse_rate())
    return parts_.self->send(to, http_rejected{std::move(*why)});
  auto text = protocol::drain_rate_text(rate);
  parts_.setup.session->log(log_level::info, "sessions leave at a rate", {{"rate", text}});
  if (pace_)
    pace_->change(rate, parts_.now());
  else
    pace_.emplace(rate, parts_.now());
  open_node(false);
  parts_.self->send(to, http_reply{"{\"draining\":true,\"rate\":" + protocol::quoted(text) + "}", {}});
  move_due_sessions();
}

void session_drain::answer(const protocol::undrain_gateway&, const broker_actor& to) {
  if (parts_.admission.stopping().has_begun() || (pace_ && pace_->is_over()))
    return parts_.self->send(to, http_rejected{protocol::refusal(409, "it is about to end, and there is no way back")});
  if (!pace_)
    return parts_.self->send(to, http_rejected{protocol::refusal(409, "it does not drain")});
  pace_.reset();
  to_move_.set(0);
  parts_.setup.session->log(log_level::info, "sessions stay after all");
  open_node(true);
  parts_.self->send(to, http_reply{R"({"draining":false})", {}});
}

void session_drain::open_node(bool is_so) {
  is_so ? parts_.admission.stopping().open() : parts_.admission.stopping().close();
  note_own_end(!is_so);
  parts_.self->send(parts_.cluster.cluster, node_open{is_so});
  parts_.self->send(parts_.cluster.router, node_open{is_so});
}

/// Lets sessions leave that are due. When all have left, orders the host's program to end.
void session_drain::move_due_sessions() {
  if (!pace_)
    return;
  auto all = movable_sessions();
  to_move_.set(std::ssize(all));
  for (auto number : pace_->tick(std::move(all), parts_.cluster.others->are_there(), parts_.now()))
    parts_.self->send(parts_.book.numbered(number)->session, session_departs{});
  if (pace_->is_over())
    parts_.setup.carry_out(protocol::drain_gateway{}, {}); // repeated until it is done
  reminder_.set(parts_.self->address(), pace_->deadline());
}

std::vector<protocol::movable_session> session_drain::movable_sessions() const {
  std::vector<protocol::movable_session> result;
  for (auto& [id, one] : parts_.book.all())
    if (one.kept)
      result.push_back({one.number, one.idle->since(), one.kept->is_ours()});
  return result;
}

protocol::live_node::leaving session_drain::progress() const {
  auto to_move = movable_sessions().size();
  return {.rate = protocol::drain_rate_text(pace_->rate()),
          .to_move = to_move,
          .moved = pace_->moved(),
          .stay = parts_.book.all().size() - to_move};
}

// -- the end ------------------------------------------------------------------------------------

/// Answers from other nodes still pass through the router: it ends after them, and the registry with the router.
void session_drain::end_when_drained() {
  auto hurries = parts_.admission.stopping().is_hurried();
  if (!parts_.admission.stopping().has_begun() || !(is_unused() || (hurries && parts_.book.is_empty())))
    return;
  if (parts_.other)
    parts_.self->send(parts_.other, node_drains{.is_last = true, .at_once = hurries});
  else if (!parts_.cluster.router)
    parts_.self->quit(caf::exit_reason::user_shutdown);
  else if (auto told = std::exchange(parts_.setup.on_left, nullptr))
    told();
  if (parts_.cluster.router && (is_last_ || hurries || !awaits_last_))
    parts_.self->send(parts_.cluster.cluster, node_drains{.is_last = true});
}

/// Sent after all requests of other nodes, as the gate is closed.
void session_drain::end_router() {
  parts_.self->send(parts_.cluster.router,
                    node_drains{.is_last = true, .at_once = parts_.admission.stopping().is_hurried()});
}

} // namespace troupe::actors

#include "protocol/cluster/request_routing.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

constexpr const char* session_is_full = "too many requests of this session wait until its owner is known";
constexpr const char* all_are_full = "too many requests wait until the owners of their sessions are known";

} // namespace

// -- requests --------------------------------------------------------------------------------

/// Nodes pass on requests only for sessions that this node should have; if it has not, the store may know why.
request_route request_routing::asked(const std::string& session, const post_body& body, request_source came,
                                     time_point now) {
  using kind = session_route::kind;
  auto relayed = came != request_source::client;
  if (session.empty())
    return begin_elsewhere(body);
  auto route = routes_.find(session, self_);
  if (route.is == kind::nowhere || (relayed && !has_store_))
    return refuse_request{session_not_found()};
  if (relayed || route.is == kind::ask_store)
    return draining_ && !relayed ? forward_session(session) : search_store(session, {}, came, now);
  if (route.is == kind::not_yet)
    return wait_for_nodes();
  if (route.is == kind::lost)
    return wait_for_life(route.owner, session_not_found(), node_unreachable(), now);
  return forward_request{route.owner};
}

request_route request_routing::begin_elsewhere(const post_body& body) {
  if (auto node = routes_.for_new())
    return forward_request{*node};
  return refuse_request{gateway_stops(body.messages.front().id)};
}

request_route request_routing::wait_for_nodes() {
  if (early_ == most_waiting)
    return refuse_request{nodes_not_known()};
  ++early_;
  return await_nodes{};
}

/// A node that was lost a moment ago may return at once.
request_route request_routing::wait_for_life(node_life owner, rejection if_ended, rejection if_unreachable,
                                             time_point now) {
  using state = lost_lives::state;
  auto is = lost_.of(owner, now);
  if (is != state::awaited)
    return refuse_request{std::move(is == state::ended ? if_ended : if_unreachable)};
  early_until_ = std::min(early_until_, lost_.awaited_until(owner));
  return wait_for_nodes();
}

/// Hands a session with an unknown owner to a node that stays: that node queries the store. `not_at` could not tell;
/// only one more node gets the request then.
request_route request_routing::forward_session(const std::string& session, std::optional<node_life> not_at) {
  auto node = routes_.for_new(not_at);
  if (!node)
    return refuse_request{owner_unknown()};
  routes_.moved(session, *node);
  return forward_request{*node, not_at.has_value()};
}

/// Leases are not in the store: each goes with its node.
request_route request_routing::asked_of_lease(const std::string& lease, const post_body& body, request_source came,
                                              time_point now) {
  using kind = session_route::kind;
  auto route = routes_.find(lease, self_);
  auto refused = state_refused(body.messages.front().id);
  if (came == request_source::client && route.is == kind::elsewhere)
    return forward_request{route.owner, true};
  if (came == request_source::client && route.is == kind::not_yet)
    return wait_for_nodes();
  if (came == request_source::client && route.is != kind::nowhere && route.owner != self_)
    return wait_for_life(route.owner, refused, refused, now);
  return refuse_request{std::move(refused)};
}

/// Waits until all nodes are known: other nodes could map the key to a different node.
request_route request_routing::asked_by_key(std::string_view key, std::string request,
                                            std::optional<node_life> not_at) {
  if (!routes_.settled())
    return wait_for_nodes();
  auto nodes = routes_.open();
  if (!draining_)
    nodes.push_back(self_);
  if (not_at)
    std::erase(nodes, *not_at);
  auto node = node_of_key(key, nodes);
  if (!node)
    return refuse_request{gateway_stops(std::move(request))};
  if (*node == self_)
    return serve_here{};
  return forward_request{*node, not_at.has_value()};
}

request_route request_routing::asked_again(const std::string& session, node_life uncertain_node, time_point now) {
  return draining_ ? forward_session(session, uncertain_node)
                   : search_store(session, uncertain_node, request_source::client, now);
}

/// `uncertain_owner` has answered that it cannot tell: it may have lost the session and the store.
request_route request_routing::search_store(const std::string& session, node_life uncertain_owner, request_source came,
                                            time_point now) {
  using turn = restore_pace::turn;
  auto found = waiting_.find(session);
  auto others = found == waiting_.end() ? 0 : found->second.count;
  if (draining_)
    return refuse_request{owner_unknown()};
  if (others == most_of_one || all_waiting_ == most_waiting)
    return refuse_request{refused_restore(unavailable(others == most_of_one ? session_is_full : all_are_full), came)};
  auto when = others != 0 ? turn::later : pace_.asked(session, now);
  if (when == turn::never)
    return refuse_request{refused_restore(too_many_restores(pace_.pause()), came)};
  ++all_waiting_;
  if (others == 0)
    waiting_[session].uncertain_owner = uncertain_owner;
  ++waiting_[session].count;
  if (when == turn::later)
    return await_store{};
  return question(uncertain_owner);
}

std::vector<std::pair<std::string, ask_store>> request_routing::due(time_point now) {
  std::vector<std::pair<std::string, ask_store>> result;
  for (auto& session : pace_.due(now)) {
    auto uncertain_owner = waiting_[session].uncertain_owner;
    result.emplace_back(std::move(session), question(uncertain_owner));
  }
  return result;
}

std::vector<std::string> request_routing::alive() const {
  std::vector<std::string> result;
  for (auto node : routes_.alive())
    result.push_back(life_text(node));
  return result;
}

ask_store request_routing::question(node_life uncertain_owner) const {
  ask_store result{alive()};
  if (routes_.is_alive(uncertain_owner))
    result.uncertain_owner = life_text(uncertain_owner);
  return result;
}

/// Routes requests for a session that neither this node nor the store has. It may be at the doubted node, if that is
/// alive: the store may be a new one. Or it may be at the node that its id names, which keeps no records without a
/// tenure; if it is not there, it is over, wherever it had moved.
request_route request_routing::route_unknown(const std::string& session, node_life uncertain_owner, time_point now) {
  if (routes_.is_alive(uncertain_owner))
    return refuse_request{owner_unknown()};
  auto named = routes_.named(session);
  if (!named || *named == self_)
    return refuse_request{session_not_found()};
  if (routes_.is_alive(*named))
    return forward_request{*named, true};
  auto is_over = lost_.of(*named, now) == lost_lives::state::ended;
  return refuse_request{is_over ? session_not_found() : owner_unknown()};
}

/// The node that began the session may not know of its last owner: nodes in between may have ended since.
void request_routing::remember_taken(const std::string& session, std::optional<node_life> from, time_point now) {
  if (from && *from != self_)
    taken_.add(*from, session);
  auto named = routes_.named(session);
  if (named && named != from && *named != self_ && !routes_.is_alive(*named) &&
      lost_.of(*named, now) != lost_lives::state::ended)
    taken_.add(*named, session);
}

std::optional<waiting_route> request_routing::found(const std::string& session, search_outcome::outcome is,
                                                    const std::string& owner, time_point now) {
  using outcome = search_outcome::outcome;
  const auto begins = is == outcome::ours && !draining_;
  pace_.found(session, begins, now);
  if (is == outcome::ours)
    remember_taken(session, read_life(owner), now);
  auto waiting = waiting_.extract(session);
  if (waiting.empty())
    return std::nullopt;
  all_waiting_ -= waiting.mapped().count;
  if (is == outcome::here)
    return forward_all_waiting{serve_here{}, serve_here{}};
  if (begins)
    return restore_here{};
  refuse_request no{owner_unknown()};
  if (is == outcome::ours)
    return forward_all_waiting{forward_session(session), std::move(no), true};
  if (is == outcome::over)
    return forward_all_waiting{refuse_request{session_not_found()}, refuse_request{session_not_found()}};
  auto uncertain_owner = waiting.mapped().uncertain_owner;
  if (is == outcome::unknown) {
    auto to = route_unknown(session, uncertain_owner, now);
    return forward_all_waiting{to, to};
  }
  auto life = is == outcome::elsewhere ? read_life(owner) : std::nullopt;
  if (!life)
    return forward_all_waiting{draining_ ? forward_session(session) : no, no};
  if (!routes_.is_alive(*life))
    return ask_anew{};
  routes_.moved(session, *life);
  return forward_all_waiting{forward_request{*life, *life == uncertain_owner}, std::move(no)};
}

/// A refusal for another reason means that the node has the session. Not all nodes may know yet that a node stops.
after_refusal request_routing::refused(const forwarded_exchange& by, const rejection& why, bool has_copy) {
  auto cannot_tell = why.is == refusal_kind::owner_unknown;
  if (cannot_tell || why.status == session_not_found().status)
    routes_.lost(by.session());
  if (by.streams())
    return after_refusal::fail;
  auto stops = !by.key().empty() && why.is == refusal_kind::gateway_stops;
  return has_copy && (cannot_tell || stops) ? after_refusal::ask_again : after_refusal::send_to_client;
}

/// A node that is alive has lost the session itself.
rejection request_routing::gone(node_life at, time_point now) {
  if (has_store_)
    return owner_unknown();
  auto is_over = routes_.is_alive(at) || lost_.of(at, now) == lost_lives::state::ended;
  return is_over ? session_not_found() : node_unreachable();
}

/// A request without a session may find another node: a 404 would move its client to another transport.
rejection request_routing::node_gone(const forwarded_exchange& of, time_point now) {
  if (of.session().empty())
    return unavailable("the node chosen for the request has left", of.request());
  return of.is_stateless() ? state_refused(of.request()) : gone(of.to(), now);
}

// -- nodes -----------------------------------------------------------------------------------

bool request_routing::members(const std::vector<known_node>& nodes, bool settled, const std::set<node_life>& left,
                              time_point now, const std::vector<node_life>& ended) {
  auto is_lost = [&left](node_life one) { return !left.contains(one); };
  auto has_lost = std::ranges::any_of(routes_.alive(), is_lost);
  routes_.members(nodes, settled);
  lost_.members(routes_.alive(), settled, now);
  for (auto one : left)
    if (!routes_.is_alive(one))
      lost_.ended(one);
  for (auto one : ended)
    lost_.ended(one);
  if (settled)
    route_again();
  auto is_so = nodes.empty() && (is_cut_off_ || has_lost);
  return std::exchange(is_cut_off_, is_so) != is_so;
}

bool request_routing::must_route_again(time_point now) {
  auto is_due = now >= early_until_;
  if (is_due)
    route_again();
  return is_due;
}

void request_routing::route_again() {
  early_ = 0;
  early_until_ = time_point::max();
}

// -- the end ---------------------------------------------------------------------------------

void request_routing::drains(bool is_last) {
  is_last_ = is_last_ || is_last;
  draining_ = true;
}

} // namespace troupe::protocol

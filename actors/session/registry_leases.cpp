// Leases: which of them a stateless (2026-07-28) request goes to.

#include "actors/session/registry.hpp"
#include "actors/session/session_servers.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace troupe::actors {

namespace {

protocol::lease_affinity affinity_of(const gateway_server& one) {
  switch (one.options.affinity) {
  case affinity::principal:
    return protocol::lease_affinity::principal;
  case affinity::none:
    return protocol::lease_affinity::none;
  case affinity::header:
    return protocol::lease_affinity::header;
  }
  return protocol::lease_affinity::principal;
}

} // namespace

/// A retry goes to the lease that its state names, even if its client would get another lease now.
void registry_state::take_stateless(client_post& msg) {
  if (msg.session.empty())
    find_lease(msg);
  else
    go_on(msg);
}

/// The router knows which node has a key. A request from another node stays here, whatever that node knew.
void registry_state::find_lease(client_post& msg) {
  auto key = lease_key_of(msg);
  auto is_placed = !cluster_.router || msg.came != protocol::came_by::client;
  if (key && !is_placed)
    return self_->send(cluster_.router, lease_sought{std::move(msg), std::move(*key)});
  if (!key && admission_.stopping().sends_on(is_placed))
    return self_->send(cluster_.router, std::move(msg));
  auto known = key ? leases_.find(key->text) : leases_.end();
  if (known == leases_.end() && sends_new_on(msg.came))
    return self_->send(other_, std::move(msg));
  if (known == leases_.end())
    return begin_lease(msg, std::move(key));
  self_->send(known->second->session, std::move(msg));
}

void registry_state::go_on(client_post& msg) {
  auto found = sessions_.find(msg.session);
  if (found == sessions_.end())
    return find_named_lease(msg);
  if (found->second.place.takes(protocol::transport::stateless, msg.server, protocol::identity_of(msg.caller)))
    self_->send(found->second.session, std::move(msg));
  else
    refuse_state(msg);
}

/// The lease is on another node, has ended, or its state comes from a server that is such a gateway itself. The other
/// process of a handover has its own seals: only it can tell.
void registry_state::find_named_lease(client_post& msg) {
  auto is_own = protocol::has_own_state(msg.body.messages.front(), seal_for(msg.caller, setup_.session));
  if (is_own && cluster_.router)
    return self_->send(cluster_.router, std::move(msg));
  if (other_ && msg.came == protocol::came_by::client)
    return self_->send(other_, std::move(msg));
  if (is_own)
    return refuse_state(msg);
  msg.session.clear();
  find_lease(msg);
}

void registry_state::refuse_state(const client_post& msg) {
  self_->send(msg.broker, http_rejected{protocol::state_refused(msg.body.messages.front().id)});
}

void registry_state::begin_lease(client_post& msg, std::optional<protocol::lease_key> key) {
  auto request = msg.body.messages.front().id;
  auto is_counted = judged_ == &msg; // before the host was queried
  if (auto why = is_counted ? std::nullopt : setup_.limiter->initialize(msg.counted_as, self_->at().now()))
    return self_->send(msg.broker, http_rejected{std::move(*why)});
  if (!may_begin(msg, request, msg.via))
    return;
  auto& lease = begin(new_lease_for(msg, std::move(key)), msg.unit, msg.counted_as);
  self_->send(lease, std::move(msg));
}

/// Removes the key of a lease: the next request with that key gets another lease.
void registry_state::forget_key(known_session& one) {
  leases_.erase(one.key.text);
  one.key = {};
}

/// Ends leases whose path leads to other servers now, or whose servers share leases by other rules.
void registry_state::end_misplaced_leases() {
  for (auto& [id, one] : sessions_) {
    if (one.place.via != protocol::transport::stateless)
      continue;
    auto now = server_at(one.place.path, protocol::transport::stateless);
    auto is_same = one.place.server == (now ? now->as_member.server.id : 0);
    if (is_same && one.affinity == affinity_at(one.place.path) && one.judged_by == judging_at(one.place.path))
      continue;
    forget_key(one);
    self_->send(one.session, drain{.why = "the configuration has changed", .for_good = true});
  }
}

/// Ends the leases for this server alone: they have no other server.
void registry_state::end_leases_of(std::uint64_t server) {
  for (auto& [id, one] : sessions_)
    if (one.place.via == protocol::transport::stateless && one.place.server == server) {
      forget_key(one);
      self_->send(one.session, drain{.why = "its server failed", .at_once = true, .for_good = true});
    }
}

std::optional<protocol::lease_key> registry_state::lease_key_of(const client_post& msg) const {
  if (msg.is_strangers)
    return std::nullopt;
  const auto owner = protocol::lease_owner(owner_at(msg.server, msg.caller), msg.is_local, msg.envelope->can);
  return protocol::lease_key_by(affinity_at(msg.server), msg.server, owner, *msg.envelope);
}

/// Returns the owner part of a lease's key. Where servers receive their callers' identity, or have access rules, other
/// claims or scopes make another owner. Only the registry finds such keys.
std::string registry_state::owner_at(const std::string& path, const protocol::caller& who) const {
  auto result = protocol::identity_of(who);
  auto add = [&](const gateway_server& one) {
    auto told = one.tell_apart ? one.tell_apart(who) : std::variant<std::string, protocol::untold>{};
    if (auto* owner = std::get_if<std::string>(&told); owner && one.tell_apart)
      result.append("\n").append(*owner);
    if (one.as_member.access)
      result.append("\n").append(rights_told(who));
  };
  if (auto one = server_at(path, protocol::transport::stateless))
    add(*one);
  else
    std::ranges::for_each(servers_.all(), add);
  return result;
}

/// Returns the servers behind the path that receive their callers' identity or have access rules.
std::vector<std::uint64_t> registry_state::judging_at(const std::string& path) const {
  std::vector<std::uint64_t> result;
  auto add = [&](const gateway_server& one) {
    if (one.tell_apart || one.as_member.access)
      result.push_back(one.as_member.server.id);
  };
  if (auto one = server_at(path, protocol::transport::stateless))
    add(*one);
  else
    std::ranges::for_each(servers_.all(), add);
  return result;
}

/// Returns the joined affinity of all servers behind the path.
protocol::lease_affinity registry_state::affinity_at(const std::string& path) const {
  if (auto one = server_at(path, protocol::transport::stateless))
    return affinity_of(*one);
  auto result = protocol::lease_affinity::none;
  for (auto& one : servers_.all())
    result = protocol::joined(result, affinity_of(one));
  return result;
}

/// Whether a request without a key, wherever it arrives, reaches the same server as the one before it.
bool registry_state::is_met_again(const std::string& path) const {
  auto one = server_at(path, protocol::transport::stateless);
  if (!one)
    return false;
  return std::holds_alternative<remote_server>(one->options.source) || (one->is_one_process && !cluster_.router);
}

/// Returns the parameters of a new lease. Without a key, the lease ends with its one request.
new_session registry_state::new_lease_for(const client_post& msg, std::optional<protocol::lease_key> key) const {
  auto result = new_session_at(msg.server, protocol::transport::stateless, msg.caller, msg.is_local);
  result.can = msg.envelope->can;
  result.lease_time = key ? setup_.session->lease_time : std::chrono::milliseconds::zero();
  result.passes = key || is_met_again(msg.server);
  result.key = std::move(key).value_or(protocol::lease_key{});
  result.is_strangers = msg.is_strangers;
  result.request_id = msg.request_id;
  return result;
}

} // namespace troupe::actors

#include "tests/simulation/model.hpp"

#include "protocol/cluster/tenure.hpp"
#include "protocol/ids.hpp"

#include <algorithm>

namespace troupe::tests::simulation {

namespace {

/// Time after the answer to `initialize` in which the record of a session reaches the store.
constexpr auto record_time = 1s;

/// After the running store has loaded older data, a node that has seen nothing of the lost time may take a session
/// until another node renews its tenure. The owner notices at its next renewal, before its tenure ends, and then keeps
/// its sessions without a claim for the pause in which no node takes a session. Each side allows for a tenth of drift.
span_of_time time_of_two_owners(std::chrono::milliseconds tenure) {
  return (tenure * 9 / 10 + protocol::tenure::pause_for(tenure) * 9 / 10) * 10 / 9;
}

std::chrono::milliseconds tenure_of(const redis_server& store) {
  return std::chrono::ceil<std::chrono::milliseconds>(store.data.tenure_time());
}

} // namespace

void model::node_starts(std::size_t host) {
  node_ends(host);
  for (auto other : hosts_)
    apart_since_[{host, other}] = apart_since_[{other, host}] = time_.now();
  hosts_.insert(host);
}

void model::node_ends(std::size_t host) {
  hosts_.erase(host);
  std::erase_if(apart_since_, [&](auto& one) { return one.first.first == host || one.first.second == host; });
}

void model::members(std::size_t host, const std::set<std::size_t>& others) {
  for (auto other : hosts_)
    if (others.contains(other) || other == host)
      apart_since_.erase({host, other});
    else
      apart_since_.try_emplace({host, other}, time_.now());
}

/// Clocks of nodes run up to a tenth too fast.
bool model::is_out_of_reach(std::size_t host) const {
  return given_up_.contains(host) || std::ranges::any_of(apart_since_, [&](auto& one) {
           return one.first.second == host && time_.now() - one.second >= patience_ * 9 / 10;
         });
}

void model::begins(const std::string& id, bool is_restored, const std::string& place) {
  auto& one = all_[id];
  if (is_restored && one.is_deleted && !may_have_forgotten(id))
    log_.broken(rule::stays_ended, place + " restores " + shown(id) + " after its DELETE was confirmed");
}

void model::enter(const std::string& id, const std::shared_ptr<acting_session>& who) {
  auto& one = all_[id];
  one.is_kept = one.is_kept || who->is_kept();
  one.on_nodes.push_back(who);
}

void model::opened(const std::string& id) { all_[id].opened = time_.now(); }

void model::acts(const std::string& id, const acting_session& who) {
  auto& all = all_[id].on_nodes;
  if (all.size() < 2)
    return;
  std::erase_if(all, [](auto& one) { return one.expired(); });
  for (auto& weak : all)
    if (auto other = weak.lock(); other && other.get() != &who && other->acts() && may_have_two_owners())
      log_.count("answers of one of two owners after a restore");
    else if (other && other.get() != &who && other->acts())
      log_.broken(rule::one_owner, shown(id) + " answers at " + who.place() + " and at " + other->place());
}

bool model::may_have_two_owners() const { return store_ && is_restored_within(time_of_two_owners(tenure_of(*store_))); }

/// Until an owner that the older data lack has returned, no node that has just started knows of the loss.
bool model::may_be_unknown(const std::string& id) const {
  return store_ && is_restored_within(protocol::tenure::untold_for(tenure_of(*store_))) && !store_->data.has(id);
}

bool model::is_restored_within(span_of_time time) const {
  return store_->restored_at() != time_point::min() && time_.now() < store_->restored_at() + time;
}

void model::is_to_end(const std::string& id) {
  auto& one = all_[id];
  one.is_to_end = true;
  one.ends = std::min(one.ends, time_.now());
}

void model::ended(const std::string& id) {
  auto& one = all_[id];
  one.has_ended = true;
  one.forgotten = std::min(one.forgotten, time_.now());
}

bool model::may_have_forgotten(const std::string& id) const {
  auto found = all_.find(id);
  return store_ && found != all_.end() && store_->may_have_lost(found->second.ends, found->second.forgotten);
}

void model::answers_late(const std::string& id, const std::string& place) {
  log_.broken(rule::one_owner, place + " answers for " + shown(id) + " after it has let go");
}

void model::ends_for_handover(const std::string& place, std::size_t sessions) {
  if (sessions != 0)
    log_.broken(rule::kept_at_handover, place + " ends " + std::to_string(sessions) + " sessions");
}

void model::bounded(std::string_view queue, std::size_t size, std::size_t most) {
  if (size > most)
    log_.broken(rule::bounded, std::string{queue} + " has " + std::to_string(size) + " entries");
}

void model::runs(const std::string& token) {
  auto& one = calls_[token];
  ++one.ran;
  check_runs(token, one);
}

void model::is_refused(const std::string& token) {
  auto& one = calls_[token];
  --one.accepted;
  check_runs(token, one);
}

void model::check_runs(const std::string& token, const call& one) {
  if (one.ran > one.accepted)
    log_.broken(rule::runs_once, token + " ran " + std::to_string(one.ran) + " times, and was not refused " +
                                     std::to_string(one.accepted) + " times");
}

bool model::has_run(const std::string& token) const {
  auto found = calls_.find(token);
  return found != calls_.end() && found->second.ran != 0;
}

void model::is_lost(const std::string& token) {
  if (!has_run(token))
    log_.broken(rule::lost_only_if_run, token + " failed as lost, and no server has received it");
}

bool model::is_deleted(const std::string& id) const {
  auto found = all_.find(id);
  return found != all_.end() && found->second.is_deleted;
}

std::vector<std::shared_ptr<acting_session>> model::nodes_of(const std::string& id) const {
  std::vector<std::shared_ptr<acting_session>> result;
  if (auto found = all_.find(id); found != all_.end())
    for (auto& weak : found->second.on_nodes)
      if (auto one = weak.lock(); one && one->lives())
        result.push_back(std::move(one));
  return result;
}

bool model::lives(const std::string& id) const {
  auto found = all_.find(id);
  if (found == all_.end() || found->second.has_ended)
    return false;
  return is_on_a_node(id) || (store_ && store_->data.has(id));
}

/// Whether the store must have had the record of a session: no fault has kept it from there.
bool model::has_record(const entry& one) const {
  if (!one.is_kept || one.is_to_end || one.has_ended || one.opened == time_point::max() ||
      time_.now() < one.opened + record_time)
    return false;
  return std::ranges::none_of(
      disturbed_, [&](auto& time) { return time.first <= one.opened + record_time && time.second >= one.opened; });
}

void model::is_told_gone(const std::string& id) {
  log_.count("404");
  auto& one = all_[id];
  if (store_ && has_record(one) && !store_->data.has(id))
    log_.broken(rule::survives, shown(id) + " is not in the store");
  if (std::ranges::any_of(nodes_of(id), [&](auto& one) { return is_out_of_reach(one->host()); }))
    log_.count("404 after a long silence");
  else if (lives(id) && may_be_unknown(id))
    log_.count("404 for a session that the restored data lack");
  else if (lives(id))
    log_.broken(rule::known_when_404, shown(id) + (is_on_a_node(id) ? " is on a node" : " is in the store"));
}

/// Whether a call ran at a node that ended without order is known to nobody.
void model::is_told_lost(const std::string& token) {
  auto ran = has_run(token);
  log_.count(ran ? "calls that ran fail with their node" : "calls that never ran fail with their node");
  if (!ran && is_orderly_)
    log_.broken(rule::lost_only_if_run, token);
}

} // namespace troupe::tests::simulation

#include "protocol/cluster/node_addresses.hpp"

#include "protocol/backoff.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

node_addresses::node_addresses(const address_options& options, std::uint64_t seed, time_point now)
    : options_{options}, dice_{seed} {
  places_[options_.address].own = true;
  places_[options_.address].forget_at = time_point::max();
  for (auto& name : options_.seeds)
    lookups_[name].next = now;
}

// -- names ----------------------------------------------------------------------------

void node_addresses::resolve_due(time_point now, membership_effects& out) {
  for (auto& [name, one] : lookups_)
    if (now >= one.next)
      look_up_name(name, one, out);
}

/// No next look-up until the answer: a name server may take longer than the pause.
void node_addresses::look_up_name(const std::string& name, lookup& one, membership_effects& out) {
  one.next = time_point::max();
  out.push_back(look_up{name});
}

void node_addresses::looked_up(const std::string& name, const std::vector<std::string>& addresses, time_point now,
                               membership_effects& out) {
  auto& one = lookups_[name];
  one.done = true;
  one.next = now + options_.look_up;
  if (addresses.empty() && !std::exchange(one.failing, true))
    out.push_back(log_note{log_note::weight::warning, "no address is known for a node", {{"name", name}}});
  if (!addresses.empty())
    one.failing = false;
  for (auto& address : addresses)
    learn(address, now);
}

// -- addresses ------------------------------------------------------------------------

void node_addresses::note(const place& at) {
  if (at.is != place::state::idle)
    return;
  next_call_ = std::min(next_call_, at.next);
  next_end_ = std::min(next_end_, at.forget_at);
}

/// Null if there are too many addresses.
node_addresses::place* node_addresses::known(const std::string& address, time_point now) {
  auto forget_at = now + options_.memory;
  if (auto found = places_.find(address); found != places_.end()) {
    found->second.forget_at = std::max(found->second.forget_at, forget_at);
    return &found->second;
  }
  if (places_.size() >= options_.most) {
    is_full_ = true;
    return nullptr;
  }
  places_[address].forget_at = forget_at;
  leave(address, options_.dial_delay, now);
  return &places_[address];
}

void node_addresses::named(const std::string& address, time_point now) {
  if (auto at = known(address, now))
    at->was_named = true;
}

void node_addresses::remember(const std::string& address, time_point now) {
  if (auto at = known(address, now))
    at->next = now;
}

bool node_addresses::was_named(const std::string& address) const {
  auto at = places_.find(address);
  return at != places_.end() && at->second.was_named;
}

/// No node at this address. The node with the greater address dials, this one, if it has the smaller, after the delay.
void node_addresses::leave(const std::string& address, std::chrono::milliseconds delay, time_point now) {
  auto& at = places_[address];
  at.is = place::state::idle;
  at.was_named = false;
  at.pause = {};
  at.next = options_.address > address ? now : now + delay + varied(delay / 2);
  note(at);
}

std::chrono::milliseconds node_addresses::varied(std::chrono::milliseconds pause) {
  return std::chrono::milliseconds{dice_() % static_cast<std::uint64_t>(pause.count() + 1)};
}

/// Whether to dial an address. A node that is already linked at one address is not dialled at another.
bool node_addresses::wants(const place& at, const node_test& is_linked) {
  return !at.own && at.is == place::state::idle && !is_linked(at.node);
}

void node_addresses::dial_due(time_point now, const node_test& is_linked, membership_effects& out) {
  if (is_full_ && !std::exchange(is_full_logged_, true))
    out.push_back(log_note{log_note::weight::warning,
                           "too many addresses of nodes: this node ignores further ones",
                           {{"most", std::to_string(options_.most)}}});
  if (now < next_call_)
    return;
  next_call_ = time_point::max();
  for (auto& [address, at] : places_) {
    if (!wants(at, is_linked))
      continue;
    if (now < at.next) {
      next_call_ = std::min(next_call_, at.next);
      continue;
    }
    at.is = place::state::dialling;
    out.push_back(dial{address});
  }
}

void node_addresses::begin_again(time_point now) {
  for (auto& [address, at] : places_) {
    at.tried = false;
    at.pause = {};
    at.next = now;
    note(at);
  }
}

void node_addresses::forget(time_point now, const node_test& is_member) {
  if (now < next_end_)
    return;
  next_end_ = time_point::max();
  std::erase_if(places_, [&](auto& one) {
    auto& at = one.second;
    if (at.is != place::state::idle || is_member(at.node))
      return false;
    if (now < at.forget_at)
      next_end_ = std::min(next_end_, at.forget_at);
    return now >= at.forget_at;
  });
}

// -- results of calls -----------------------------------------------------------------

void node_addresses::identified(const std::string& address, const std::string& node) {
  auto& at = places_[address];
  at.node = node;
  note(at);
}

void node_addresses::linked(const std::string& address, time_point now) {
  auto& at = places_[address];
  at.is = place::state::linked;
  at.forget_at = std::max(at.forget_at, now + options_.memory);
}

void node_addresses::retry(place& at, time_point now) {
  at.is = place::state::idle;
  at.tried = true;
  at.pause = backoff::following(at.pause, options_.first_pause, options_.longest_pause);
  at.next = now + at.pause + varied(at.pause / 2);
  note(at);
}

/// A node that is up but not yet a member is waited for. An address that leads to this node may lead to another later.
void node_addresses::postpone(const std::string& address, failure why, time_point now) {
  auto& at = places_[address];
  retry(at, now);
  at.tried = why != failure::not_yet;
  if (why == failure::own_node)
    at.next = now + options_.memory;
}

/// Logs a reason once, not at every attempt.
void node_addresses::log_failure(const std::string& address, const std::string& why, membership_effects& out) {
  if (auto at = places_.find(address); at != places_.end() && std::exchange(at->second.why_not, why) != why)
    out.push_back(log_note{log_note::weight::warning, "no node answers", {{"address", address}, {"why", why}}});
}

void node_addresses::unlinked(const std::string& node, const std::string& address, bool was_member, time_point now) {
  for (auto& [known, at] : places_)
    if (!was_member && at.node == node)
      note(at);
  auto at = places_.find(address);
  if (at == places_.end() || at->second.is != place::state::linked)
    return;
  retry(at->second, now);
  if (was_member)
    leave(address, options_.dial_delay, now);
}

// -- members --------------------------------------------------------------------------

void node_addresses::joined(const std::string& node, const std::string& address, time_point now) {
  // A member is not called.
  const auto next_call = next_call_;
  learn(address, now);
  next_call_ = next_call;
  if (auto at = places_.find(address); at != places_.end())
    at->second.node = node;
  for (auto& [known, at] : places_)
    if (at.node == node)
      at.why_not.clear();
}

/// Forgets where a lost node was: it may return at another address, and another node may take its address. Remembers
/// the addresses themselves for a while: the member referred to them until now. A call soon shows whether it still
/// runs.
void node_addresses::left(const std::string& node, const std::string& address, time_point now) {
  for (auto& [known, at] : places_)
    if (at.node == node) {
      at.node.clear();
      at.forget_at = std::max(at.forget_at, now + options_.memory);
      note(at);
    }
  if (places_.contains(address))
    leave(address, options_.dial_delay / 4, now);
}

/// Looks at all addresses once, not at each call: begins with the one that was last found not to be tried.
bool node_addresses::all_tried(const node_test& is_member) {
  auto is_known = [](auto& one) { return one.second.done; };
  auto was_tried = [&](auto& one) { return one.second.own || one.second.tried || is_member(one.second.node); };
  if (!std::ranges::all_of(lookups_, is_known))
    return false;
  auto found = std::find_if_not(places_.lower_bound(untried_), places_.end(), was_tried);
  if (found == places_.end())
    found = std::ranges::find_if_not(places_, was_tried);
  if (found == places_.end())
    return true;
  untried_ = found->first;
  return false;
}

time_point node_addresses::deadline() const {
  auto first = next_call_;
  for (auto& [name, one] : lookups_)
    first = std::min(first, one.next);
  return first;
}

} // namespace troupe::protocol

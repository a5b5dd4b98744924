#include "protocol/membership.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

membership::membership(membership_options options, std::uint64_t seed, time_point now)
    : options_{std::move(options)}, dice_{seed}, begun_{now} {
  places_[options_.address].own = true;
  places_[options_.address].forget_at = time_point::max();
  for (auto& name : options_.seeds)
    lookups_[name].next = now;
}

membership_effects membership::begin(time_point now) { return tick(now); }

// -- where others may be ------------------------------------------------------------

membership_effects membership::looked_up(const std::string& name, const std::vector<std::string>& addresses,
                                         time_point now) {
  membership_effects out;
  auto& one = lookups_[name];
  one.done = true;
  if (addresses.empty() && !std::exchange(one.failing, true))
    out.push_back(note{note::weight::warning, "no address is known for a node", {{"name", name}}});
  if (!addresses.empty())
    one.failing = false;
  for (auto& address : addresses)
    learn(address, now + options_.memory, now);
  dial_due(now, out);
  settle(now, out);
  return out;
}

void membership::learn(const std::string& address, time_point forget_at, time_point now) {
  if (auto known = places_.find(address); known != places_.end()) {
    known->second.forget_at = std::max(known->second.forget_at, forget_at);
    return;
  }
  if (places_.size() >= options_.most)
    return;
  places_[address].forget_at = forget_at;
  leave(address, now);
}

/// Nobody is met there for now. Who is to call says the order of the addresses.
void membership::leave(const std::string& address, time_point now) {
  auto& at = places_[address];
  at.is = place::state::idle;
  at.pause = {};
  at.next = options_.address > address ? now : now + options_.courtesy + varied(options_.courtesy / 2);
}

void membership::look_up_name(const std::string& name, lookup& one, time_point now, membership_effects& out) {
  one.next = now + options_.look_up;
  out.push_back(look_up{name});
}

/// A node that is met in one place is not called at another: a second connection would end the first.
bool membership::wants(const place& at) const {
  return !at.own && at.is == place::state::idle && !members_.contains(at.node);
}

void membership::dial_due(time_point now, membership_effects& out) {
  for (auto& [address, at] : places_) {
    if (!wants(at) || now < at.next)
      continue;
    at.is = place::state::dialling;
    out.push_back(dial{address});
  }
}

std::chrono::milliseconds membership::varied(std::chrono::milliseconds pause) {
  return std::chrono::milliseconds{dice_() % static_cast<std::uint64_t>(pause.count() + 1)};
}

void membership::retry(place& at, time_point now) {
  at.is = place::state::idle;
  at.tried = true;
  at.pause = std::clamp(2 * at.pause, options_.first_pause, options_.longest_pause);
  at.next = now + at.pause + varied(at.pause / 2);
}

void membership::forget_places(time_point now) {
  std::erase_if(places_, [&](auto& one) {
    return one.second.is == place::state::idle && now >= one.second.forget_at && !members_.contains(one.second.node);
  });
}

// -- calls ----------------------------------------------------------------------------

membership_effects membership::dialled(const std::string& address, link_id id, time_point now) {
  membership_effects out;
  auto& at = places_[address];
  at.is = place::state::linked;
  at.forget_at = std::max(at.forget_at, now + options_.memory);
  auto& made = links_[id];
  made.dialled = address;
  at.node = made.node;
  if (!std::exchange(made.greeted, true))
    out.push_back(greet{id, hello()});
  return out;
}

membership_effects membership::dial_failed(const std::string& address, const std::string& why, time_point now) {
  membership_effects out;
  failed(address, why, now, out);
  settle(now, out);
  return out;
}

/// Said once, not at every attempt.
void membership::failed(const std::string& address, const std::string& why, time_point now, membership_effects& out) {
  auto found = places_.find(address);
  if (found == places_.end())
    return;
  retry(found->second, now);
  if (std::exchange(found->second.why_not, why) != why)
    out.push_back(note{note::weight::warning, "no node answers", {{"address", address}, {"why", why}}});
}

membership_effects membership::dialled_self(const std::string& address, time_point now) {
  membership_effects out;
  places_[address].own = true;
  settle(now, out);
  return out;
}

// -- who is there --------------------------------------------------------------------

membership_effects membership::greeted(link_id id, const node_hello& hello, time_point now) {
  membership_effects out;
  auto why = why_not(hello);
  auto found = members_.find(hello.name);
  auto is_same = found != members_.end() && found->second.life == hello.life;
  if (!why.empty()) {
    out.push_back(note{note::weight::error, "a node is refused", {{"node", hello.name}, {"why", why}}});
    out.push_back(refuse_node{id, std::move(why)});
    drop(id, now);
  } else if (is_same && found->second.link == id) {
    update(id, hello, out);
  } else {
    join(id, hello, now, out);
  }
  for (auto& address : hello.known)
    learn(address, now + options_.memory, now);
  settle(now, out);
  return out;
}

std::string membership::why_not(const node_hello& hello) const {
  if (hello.version != options_.version)
    return "it speaks version " + hello.version + " of the protocol between nodes, here it is " + options_.version;
  if (hello.name == options_.name)
    return "this node has the same name";
  auto found = members_.find(hello.name);
  if (found != members_.end() && found->second.life != hello.life)
    return "a node of this name is a member already";
  return {};
}

void membership::join(link_id id, const node_hello& hello, time_point now, membership_effects& out) {
  auto before = members_.find(hello.name);
  if (before != members_.end()) {
    out.push_back(cut_link{before->second.link});
    drop(before->second.link, now);
  }
  auto& made = links_[id];
  made.node = hello.name;
  if (!made.dialled.empty())
    places_[made.dialled].node = hello.name;
  learn(hello.address, now + options_.memory, now);
  if (auto at = places_.find(hello.address); at != places_.end())
    at->second.node = hello.name;
  for (auto& [address, at] : places_)
    if (at.node == hello.name)
      at.why_not.clear();
  members_[hello.name] = {hello.life, id, hello.address, hello.draining};
  out.push_back(note{note::weight::info, "node joined", {{"node", hello.name}, {"address", hello.address}}});
  made.greeted = true;
  greet_all(out);
  tell(out);
}

void membership::update(link_id id, const node_hello& hello, membership_effects& out) {
  auto& known = members_[hello.name];
  if (!std::exchange(links_[id].greeted, true))
    out.push_back(greet{id, this->hello()});
  if (std::exchange(known.draining, hello.draining) != hello.draining)
    tell(out);
}

membership_effects membership::refused(link_id id, const std::string& why, time_point now) {
  membership_effects out;
  auto found = links_.find(id);
  auto address = found == links_.end() ? std::string{} : found->second.dialled;
  auto was_member = found != links_.end() && members_.contains(found->second.node);
  out.push_back(cut_link{id});
  drop(id, now);
  if (!address.empty())
    failed(address, "the node there refuses this one: " + why, now, out);
  if (was_member)
    tell(out);
  settle(now, out);
  return out;
}

membership_effects membership::link_lost(link_id id, time_point now) {
  membership_effects out;
  auto found = links_.find(id);
  if (found == links_.end())
    return out;
  auto name = found->second.node;
  auto is_member = !name.empty() && members_.contains(name) && members_[name].link == id;
  drop(id, now);
  if (!is_member)
    return out;
  out.push_back(note{note::weight::warning, "node lost", {{"node", name}}});
  greet_all(out);
  tell(out);
  return out;
}

/// Forgets a link, and the member that it led to.
void membership::drop(link_id id, time_point now) {
  auto node = links_.extract(id);
  if (node.empty())
    return;
  auto& gone = node.mapped();
  if (auto member = members_.find(gone.node); member != members_.end() && member->second.link == id) {
    if (places_.contains(member->second.address))
      leave(member->second.address, now);
    members_.erase(member);
  }
  if (auto at = places_.find(gone.dialled); at != places_.end() && at->second.is == place::state::linked) {
    leave(gone.dialled, now);
    at->second.tried = true;
  }
}

// -- what we say ----------------------------------------------------------------------

node_hello membership::hello() const {
  node_hello result{options_.version, options_.name, options_.life, options_.address, draining_, {}};
  for (auto& [name, one] : members_)
    result.known.push_back(one.address);
  return result;
}

/// Whoever joins is told in any case: what we said before may be lost.
void membership::greet_all(membership_effects& out) {
  for (auto& [name, one] : members_)
    out.push_back(greet{one.link, hello()});
}

membership_effects membership::drain() {
  membership_effects out;
  draining_ = true;
  greet_all(out);
  return out;
}

std::vector<known_node> membership::nodes() const {
  std::vector<known_node> result;
  for (auto& [name, one] : members_)
    result.push_back({one.life, name, one.link, one.draining});
  return result;
}

// -- time -----------------------------------------------------------------------------

membership_effects membership::tick(time_point now) {
  membership_effects out;
  for (auto& [name, one] : lookups_)
    if (now >= one.next)
      look_up_name(name, one, now, out);
  forget_places(now);
  dial_due(now, out);
  settle(now, out);
  return out;
}

void membership::settle(time_point now, membership_effects& out) {
  if (settled_)
    return;
  auto known = std::all_of(lookups_.begin(), lookups_.end(), [](auto& one) { return one.second.done; });
  auto tried = std::all_of(places_.begin(), places_.end(), [&](auto& one) {
    return one.second.own || one.second.tried || members_.contains(one.second.node);
  });
  settled_ = (known && tried) || now >= begun_ + options_.settle;
  if (settled_)
    tell(out);
}

time_point membership::deadline() const {
  auto first = settled_ ? time_point::max() : begun_ + options_.settle;
  for (auto& [name, one] : lookups_)
    first = std::min(first, one.next);
  for (auto& [address, at] : places_)
    if (wants(at))
      first = std::min(first, at.next);
  return first;
}

} // namespace troupe::protocol

#include "protocol/cluster/membership.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

bool store_contact::update(bool own_runs, bool another_runs, time_point now) {
  if (own_runs || !another_runs)
    since_.reset();
  else if (!since_)
    since_ = now;
  auto is_so = since_ && now - *since_ >= patience_;
  return std::exchange(is_cut_off_, is_so) != is_so;
}

std::optional<log_note> turned_away::add(const std::string& address, const std::string& why, bool is_stranger,
                                         time_point now) {
  if (now >= until_) {
    until_ = now + period;
    of_nodes_.clear();
    of_strangers_.clear();
  }
  auto& known = is_stranger ? of_strangers_ : of_nodes_;
  if (known.size() >= most || !known.emplace(address, why).second)
    return std::nullopt;
  auto weight = is_stranger ? log_note::weight::info : log_note::weight::warning;
  return log_note{weight, "a caller at the port for nodes is turned away", {{"address", address}, {"why", why}}};
}

membership::membership(membership_options options, std::uint64_t seed, time_point now)
    : options_{std::move(options)}, dice_{seed}, begun_{now}, ticked_{now}, store_{options_.store_patience} {
  places_[options_.address].own = true;
  places_[options_.address].forget_at = time_point::max();
  for (auto& name : options_.seeds)
    lookups_[name].next = now;
}

membership_effects membership::begin(time_point now) { return tick(now); }

// -- addresses of other nodes -------------------------------------------------------

membership_effects membership::looked_up(const std::string& name, const std::vector<std::string>& addresses,
                                         time_point now) {
  membership_effects out;
  auto& one = lookups_[name];
  one.done = true;
  one.next = now + options_.look_up;
  if (addresses.empty() && !std::exchange(one.failing, true))
    out.push_back(log_note{log_note::weight::warning, "no address is known for a node", {{"name", name}}});
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

/// No node at this address. The node with the greater address dials.
void membership::leave(const std::string& address, time_point now) {
  auto& at = places_[address];
  at.is = place::state::idle;
  at.pause = {};
  at.next = options_.address > address ? now : now + options_.courtesy + varied(options_.courtesy / 2);
}

/// No next look-up until the answer: a name server may take longer than the pause.
void membership::look_up_name(const std::string& name, lookup& one, membership_effects& out) {
  one.next = time_point::max();
  out.push_back(look_up{name});
}

/// Whether to dial an address. A node that is already linked at one address is not dialled at another.
bool membership::wants(const place& at) const {
  auto leads_there = [&](auto& link) { return link.second.who.name == at.node; };
  return !at.own && at.is == place::state::idle && std::ranges::none_of(links_, leads_there);
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

// -- messages to other nodes ----------------------------------------------------------

node_hello membership::hello() const {
  node_hello result{options_.self.life, options_.address, draining_, {}, has_tenure_.value_or(false)};
  for (auto& [name, one] : members_)
    result.known.push_back(one.address);
  return result;
}

/// Greets all members, the newest too: an earlier greeting to it may be lost.
void membership::greet_all(membership_effects& out) {
  for (auto& [name, one] : members_)
    out.push_back(greet{one.link, hello()});
}

membership_effects membership::drain(bool is_so) {
  membership_effects out;
  draining_ = is_so;
  greet_all(out);
  return out;
}

membership_effects membership::tenure_runs(bool is_so) {
  membership_effects out;
  if (std::exchange(has_tenure_, is_so).value_or(false) != is_so)
    greet_all(out);
  return out;
}

std::vector<known_node> membership::nodes() const {
  std::vector<known_node> result;
  for (auto& [name, one] : members_)
    result.push_back({links_.at(one.link).who.life, name, one.link, one.draining});
  return result;
}

// -- time -----------------------------------------------------------------------------

membership_effects membership::tick(time_point now) {
  membership_effects out;
  if (was_silent_for(options_.silence, now))
    wake(now, out);
  else if (was_silent_for(least_costly_pause(), now))
    doubts_until_ = now + options_.silence / 4;
  ticked_ = now;
  for (auto& [name, one] : lookups_)
    if (now >= one.next)
      look_up_name(name, one, out);
  give_up_silent(now, out);
  forget_places(now);
  dial_due(now, out);
  settle(now, out);
  watch_store(now, out);
  return out;
}

void membership::watch_store(time_point now, membership_effects& out) {
  auto another = std::ranges::any_of(members_, [](auto& one) { return one.second.has_tenure; });
  if (!store_.update(has_tenure_.value_or(true), another, now))
    return;
  if (store_.is_cut_off())
    out.push_back(log_note{log_note::weight::warning,
                           "this node alone has lost the store: sessions that it keeps are left to the others",
                           {}});
  out.push_back(store_cut_off{store_.is_cut_off()});
}

bool membership::was_silent_for(std::chrono::milliseconds time, time_point now) const {
  return options_.silence > options_.silence.zero() && now - ticked_ >= time;
}

/// Drops all links: until the other nodes are found again, the owners of sessions are unknown.
void membership::wake(time_point now, membership_effects& out) {
  ticked_ = now;
  doubts_until_ = time_point::min();
  while (!links_.empty()) {
    auto id = links_.begin()->first;
    out.push_back(cut_link{id});
    drop(id, now);
  }
  for (auto& [address, at] : places_) {
    at.tried = false;
    at.pause = {};
    at.next = now;
  }
  begun_ = now;
  settled_ = false;
  tell(out);
  out.push_back(log_note{log_note::weight::warning, "this node stood still: it looks for the others again", {}});
}

/// Cuts links whose node has not greeted in time: it may have disappeared without closing the connection.
void membership::give_up_silent(time_point now, membership_effects& out) {
  std::vector<link_id> silent;
  for (auto& [id, one] : links_)
    if (!members_.contains(one.who.name) && now >= one.until)
      silent.push_back(id);
  for (auto id : silent) {
    out.push_back(cut_link{id});
    drop(id, now);
  }
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
  if (options_.silence > options_.silence.zero())
    first = std::min<time_point>(first, ticked_ + options_.silence / 4);
  for (auto& [name, one] : lookups_)
    first = std::min(first, one.next);
  for (auto& [address, at] : places_)
    if (wants(at))
      first = std::min(first, at.next);
  for (auto& [id, one] : links_)
    if (!members_.contains(one.who.name))
      first = std::min(first, one.until);
  return first;
}

} // namespace troupe::protocol

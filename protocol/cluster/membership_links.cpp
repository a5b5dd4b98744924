// Membership of a cluster: which nodes to accept, and which of two links to a node stays.

#include "protocol/cluster/membership.hpp"
#include "protocol/cluster/spoken_versions.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

// Refusals without a fault.
constexpr const char* our_own = "this is the node itself";
constexpr const char* linked_already = "the nodes have a link already";
/// Also refuses a restarted node whose earlier life still counts as a member.
constexpr const char* name_taken = "a node of this name is a member already";

// CAF tells nodes apart by process id and the addresses of their network cards.
constexpr const char* is_alike =
    "it has the same process id and the same network address (MAC) as this node or another member, as containers on "
    "several hosts may have: no link to it can be used";
constexpr const char* unlike =
    "give their containers different MAC addresses (docker run --mac-address) or the network of their hosts";

} // namespace

// -- links ----------------------------------------------------------------------------

membership_effects membership::offered(link_id id, const std::string& address, const node_card& who, time_point now) {
  membership_effects out;
  met(address, who);
  auto why = why_not(who, !address.empty());
  if (why.empty())
    take(id, address, who, now, out);
  else
    refuse(id, address, who, std::move(why), now, out);
  settle(now, out);
  return out;
}

void membership::met(const std::string& address, const node_card& who) {
  if (!address.empty())
    places_[address].node = who.name;
}

std::string membership::why_not(const node_card& who, bool we_dialled) const {
  if (auto why = why_strange(who.version, options_.self.version); !why.empty())
    return why;
  if (who.life == options_.self.life)
    return our_own;
  if (who.name == options_.self.name)
    return "this node has the same name";
  for (auto& [id, other] : links_) {
    if (other.who.name == who.name && other.who.life != who.life)
      return name_taken;
    if (other.who.life == who.life && !gives_way(other, we_dialled))
      return linked_already;
  }
  return {};
}

/// The called side decides first: a link that we dialled exists on both sides; one dialled by the other side may be
/// dropped there. If a node dials two of our addresses, its first link stays.
bool membership::gives_way(const link& other, bool we_dialled) const {
  return we_dialled && other.dialled.empty() && other.who.life < options_.self.life;
}

void membership::take(link_id id, const std::string& address, const node_card& who, time_point now,
                      membership_effects& out) {
  if (auto other = link_to(who.life)) {
    out.push_back(cut_link{*other});
    if (drop(*other, now))
      tell(out);
  }
  links_[id] = {address, who, false, now + options_.settle};
  if (!address.empty()) {
    auto& at = places_[address];
    at.is = place::state::linked;
    at.forget_at = std::max(at.forget_at, now + options_.memory);
  }
  out.push_back(take_link{id});
}

/// Refuses a link, with the reason. The log gets the reason, too, unless there is nothing to repair.
void membership::refuse(link_id id, const std::string& address, const node_card& who, std::string why, time_point now,
                        membership_effects& out) {
  if (!address.empty())
    put_off(places_[address], why, now);
  if (why != our_own && why != linked_already && is_news(who.name, why))
    out.push_back(log_note{log_note::weight::error, "a node is refused", {{"node", who.name}, {"why", why}}});
  out.push_back(refuse_link{id, std::move(why)});
}

/// True if the reason differs from the last one: logs it once, not at every attempt.
bool membership::is_news(const std::string& name, const std::string& why) {
  if (refusals_.size() >= options_.most)
    refusals_.clear();
  return std::exchange(refusals_[name], why) != why;
}

/// A node that is up but not yet a member is waited for. An address that leads to this node may lead to another later.
void membership::put_off(place& at, const std::string& why, time_point now) {
  retry(at, now);
  at.tried = why != linked_already && why != name_taken;
  if (why == our_own)
    at.next = now + options_.memory;
}

membership_effects membership::dial_failed(const std::string& address, const std::string& why,
                                           const std::optional<node_card>& who, time_point now) {
  membership_effects out;
  auto found = places_.find(address);
  if (found == places_.end())
    return out;
  if (who)
    met(address, *who);
  put_off(found->second, why, now);
  if (!who || (why != our_own && why != linked_already))
    complain(address, who ? "the node there refuses this one: " + why : why, out);
  settle(now, out);
  return out;
}

/// Logs a reason once, not at every attempt.
void membership::complain(const std::string& address, const std::string& why, membership_effects& out) {
  if (auto at = places_.find(address); at != places_.end() && std::exchange(at->second.why_not, why) != why)
    out.push_back(log_note{log_note::weight::warning, "no node answers", {{"address", address}, {"why", why}}});
}

membership_effects membership::reached(link_id id) {
  membership_effects out;
  auto found = links_.find(id);
  if (found != links_.end() && !std::exchange(found->second.greeted, true))
    out.push_back(greet{id, hello()});
  return out;
}

membership_effects membership::mistaken(link_id id, time_point now) {
  membership_effects out;
  auto found = links_.find(id);
  if (found == links_.end())
    return out;
  auto name = found->second.who.name;
  if (is_news(name, is_alike))
    out.push_back(log_note{log_note::weight::error,
                           "two nodes cannot be told apart",
                           {{"node", name}, {"why", is_alike}, {"do", unlike}}});
  out.push_back(cut_link{id});
  if (drop(id, now))
    tell(out);
  return out;
}

std::optional<link_id> membership::link_to(node_life life) const {
  for (auto& [id, one] : links_)
    if (one.who.life == life)
      return id;
  return std::nullopt;
}

std::optional<node_life> membership::member_at(link_id id) const {
  auto found = links_.find(id);
  if (found == links_.end() || !members_.contains(found->second.who.name))
    return std::nullopt;
  return found->second.who.life;
}

// -- members -------------------------------------------------------------------------

membership_effects membership::greeted(link_id id, const node_hello& hello, time_point now) {
  membership_effects out;
  auto found = links_.find(id);
  if (found == links_.end())
    return out;
  if (members_.contains(found->second.who.name))
    update(id, hello, out);
  else
    join(id, hello, now, out);
  for (auto& address : hello.known)
    learn(address, now + options_.memory, now);
  settle(now, out);
  return out;
}

void membership::join(link_id id, const node_hello& hello, time_point now, membership_effects& out) {
  auto& made = links_[id];
  auto& name = made.who.name;
  learn(hello.address, now + options_.memory, now);
  if (auto at = places_.find(hello.address); at != places_.end())
    at->second.node = name;
  for (auto& [address, at] : places_)
    if (at.node == name)
      at.why_not.clear();
  refusals_.erase(name);
  members_[name] = {id, hello.address, hello.draining, hello.has_tenure};
  out.push_back(log_note{log_note::weight::info, "node joined", {{"node", name}, {"address", hello.address}}});
  made.greeted = true;
  greet_all(out);
  tell(out);
}

void membership::update(link_id id, const node_hello& hello, membership_effects& out) {
  auto& known = members_[links_[id].who.name];
  known.has_tenure = hello.has_tenure;
  if (std::exchange(known.draining, hello.draining) != hello.draining)
    tell(out);
}

membership_effects membership::link_lost(link_id id, time_point now, bool has_left) {
  membership_effects out;
  auto found = links_.find(id);
  auto gone = found == links_.end() ? link{} : found->second;
  if (!drop(id, now)) {
    complain(gone.dialled, "the link broke before the node there spoke", out);
    return out;
  }
  out.push_back(log_note{log_note::weight::warning, "node lost", {{"node", gone.who.name}}});
  if (!has_left && (was_silent_for(least_costly_pause(), now) || now < doubts_until_)) {
    wake(now, out);
    dial_due(now, out);
    return out;
  }
  greet_all(out);
  tell(out);
  return out;
}

/// Forgets where a lost node was: it may return at another address, and another node may take its address.
void membership::unmeet(const std::string& node) {
  for (auto& [address, at] : places_)
    if (at.node == node)
      at.node.clear();
}

/// Forgets a link and its member. Returns whether there was a member.
bool membership::drop(link_id id, time_point now) {
  auto node = links_.extract(id);
  if (node.empty())
    return false;
  auto& gone = node.mapped();
  auto member = members_.extract(gone.who.name);
  if (!member.empty())
    unmeet(gone.who.name);
  if (!member.empty() && places_.contains(member.mapped().address))
    leave(member.mapped().address, now);
  if (auto at = places_.find(gone.dialled); at != places_.end() && at->second.is == place::state::linked) {
    retry(at->second, now);
    if (!member.empty())
      leave(gone.dialled, now);
  }
  return !member.empty();
}

} // namespace troupe::protocol

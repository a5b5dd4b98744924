#include "protocol/cluster/membership.hpp"
#include "protocol/cluster/node_identity.hpp"

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

/// Tells the refusals without a fault from all other reasons.
node_addresses::failure weigh_failure(const std::string& why) {
  if (why == our_own)
    return node_addresses::failure::own_node;
  const auto ends_by_itself = why == linked_already || why == name_taken;
  return ends_by_itself ? node_addresses::failure::not_yet : node_addresses::failure::fault;
}

} // namespace

membership::membership(membership_options options, std::uint64_t seed, time_point now)
    : options_{std::move(options)},
      addresses_{options_, seed, now}, begun_{now}, ticked_{now}, store_{options_.store_patience} {
  if (options_.remembers)
    memory_.emplace(options_.remembered);
  if (!options_.remembered)
    return;
  options_.alone = options_.alone.zero();
  for (auto& address : *options_.remembered)
    addresses_.remember(address, now);
}

membership_effects membership::begin(time_point now) { return tick(now); }

membership_effects membership::looked_up(const std::string& name, const std::vector<std::string>& addresses,
                                         time_point now) {
  membership_effects out;
  addresses_.looked_up(name, addresses, now, out);
  addresses_.dial_due(now, is_linked(), out);
  settle(now, out);
  return out;
}

// -- links ----------------------------------------------------------------------------

membership_effects membership::offered(link_id id, const std::string& address, const node_card& who, time_point now) {
  membership_effects out;
  identified(address, who);
  tell_ended(lost_.met(address, who.life), out);
  auto why = why_not(who, !address.empty());
  if (why.empty())
    accept(id, address, who, now, out);
  else
    refuse(id, address, who, std::move(why), now, out);
  settle(now, out);
  return out;
}

void membership::identified(const std::string& address, const node_card& who) {
  if (!address.empty())
    addresses_.identified(address, who.name);
}

void membership::tell_ended(std::vector<node_life> which, membership_effects& out) const {
  if (!which.empty())
    out.push_back(members_known{nodes(), settled_, std::move(which)});
}

std::string membership::why_not(const node_card& who, bool we_dialled) const {
  if (auto why = why_strange(who.version, options_.self.version); !why.empty())
    return why;
  if (who.life == options_.self.life)
    return our_own;
  if (who.name == options_.self.name)
    return "this node has the same name";
  if (auto same = links_by_name_.find(who.name);
      same != links_by_name_.end() && links_.at(same->second).who.life != who.life)
    return name_taken;
  if (auto other = link_to(who.life); other && !gives_way(links_.at(*other), we_dialled))
    return linked_already;
  return {};
}

/// The called side decides first: a link that we dialled exists on both sides; one dialled by the other side may be
/// dropped there. If a node dials two of our addresses, its first link stays.
bool membership::gives_way(const link& other, bool we_dialled) const {
  return we_dialled && other.dialled.empty() && other.who.life < options_.self.life;
}

void membership::accept(link_id id, const std::string& address, const node_card& who, time_point now,
                        membership_effects& out) {
  if (auto other = link_to(who.life)) {
    out.push_back(cut_link{*other});
    if (drop(*other, now))
      tell(out);
  }
  auto& made = links_[id] = {.dialled = address, .who = who, .until = now + options_.settle};
  links_by_life_[who.life] = id;
  links_by_name_[who.name] = id;
  new_links_.emplace(made.until, id);
  if (!address.empty())
    addresses_.linked(address, now);
  out.push_back(accept_link{id});
}

/// Refuses a link, with the reason. The log gets the reason, too, unless there is nothing to repair.
void membership::refuse(link_id id, const std::string& address, const node_card& who, std::string why, time_point now,
                        membership_effects& out) {
  if (!address.empty())
    addresses_.postpone(address, weigh_failure(why), now);
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

membership_effects membership::dial_failed(const std::string& address, const std::string& why,
                                           const std::optional<node_card>& who, time_point now, bool is_refused) {
  membership_effects out;
  if (who)
    tell_ended(lost_.met(address, who->life), out);
  else if (is_refused)
    tell_ended(lost_.refused_at(address), out);
  if (!addresses_.knows(address))
    return out;
  if (who)
    identified(address, *who);
  addresses_.postpone(address, weigh_failure(why), now);
  if (!who || (why != our_own && why != linked_already))
    addresses_.log_failure(address, who ? "the node there refuses this one: " + why : why, out);
  settle(now, out);
  return out;
}

membership_effects membership::reached(link_id id) {
  membership_effects out;
  auto found = links_.find(id);
  if (found == links_.end() || std::exchange(found->second.greeted, true))
    return out;
  found->second.told = joins_;
  out.push_back(greet{id, full_hello()});
  return out;
}

membership_effects membership::misidentified(link_id id, time_point now) {
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
  auto found = links_by_life_.find(life);
  return found == links_by_life_.end() ? std::nullopt : std::optional{found->second};
}

node_addresses::node_test membership::is_linked() const {
  return [this](const std::string& name) { return links_by_name_.contains(name); };
}

std::optional<node_life> membership::member_at(link_id id) const {
  auto found = links_.find(id);
  if (found == links_.end() || !members_.contains(found->second.who.name))
    return std::nullopt;
  return found->second.who.life;
}

// -- members --------------------------------------------------------------------------

node_addresses::node_test membership::is_member() const {
  return [this](const std::string& name) { return members_.contains(name); };
}

membership_effects membership::greeted(link_id id, const node_hello& hello, time_point now) {
  membership_effects out;
  auto found = links_.find(id);
  if (found == links_.end())
    return out;
  auto known = members_.find(found->second.who.name);
  if (known == members_.end())
    join(id, hello, now, out);
  else if (known->second.update(hello))
    tell(out);
  for (auto& address : hello.known)
    addresses_.named(address, now);
  settle(now, out);
  return out;
}

void membership::join(link_id id, const node_hello& hello, time_point now, membership_effects& out) {
  auto& made = links_[id];
  auto& name = made.who.name;
  auto is_news = !addresses_.was_named(hello.address);
  addresses_.joined(name, hello.address, now);
  lost_.joined(made.who.life);
  refusals_.erase(name);
  members_[name] = {id, made.who.life, hello.address, hello.draining, hello.has_tenure, ++joins_};
  if (memory_)
    memory_->joined(hello.address);
  out.push_back(log_note{log_note::weight::info, "node joined", {{"node", name}, {"address", hello.address}}});
  made.greeted = true;
  new_links_.erase({made.until, id});
  std::unordered_set<std::string_view> there{hello.known.begin(), hello.known.end()};
  there.insert(hello.address);
  out.push_back(greet{id, full_hello(made.told, there)});
  if (members_.size() == 1)
    news_.begin(now);
  else if (is_news)
    news_.joined(hello.address);
  spread_news(now, out);
  tell(out);
}

membership_effects membership::link_lost(link_id id, time_point now, bool has_left) {
  membership_effects out;
  auto found = links_.find(id);
  auto gone = found == links_.end() ? link{} : found->second;
  if (auto known = members_.find(gone.who.name); memory_ && has_left && known != members_.end())
    memory_->left(known->second.address);
  if (!drop(id, now)) {
    addresses_.log_failure(gone.dialled, "the link broke before the node there spoke", out);
    return out;
  }
  out.push_back(log_note{log_note::weight::warning, "node lost", {{"node", gone.who.name}}});
  if (!has_left && (was_silent_for(least_costly_pause(), now) || now < doubts_until_)) {
    wake(now, out);
    addresses_.dial_due(now, is_linked(), out);
    return out;
  }
  tell(out);
  return out;
}

/// Forgets a link and its member. Returns whether there was a member.
bool membership::drop(link_id id, time_point now) {
  auto node = links_.extract(id);
  if (node.empty())
    return false;
  auto& gone = node.mapped();
  links_by_life_.erase(gone.who.life);
  links_by_name_.erase(gone.who.name);
  new_links_.erase({gone.until, id});
  auto member = members_.extract(gone.who.name);
  if (!member.empty()) {
    addresses_.left(gone.who.name, member.mapped().address, now);
    lost_.lost(gone.who.life, member.mapped().address);
  }
  addresses_.unlinked(gone.who.name, gone.dialled, !member.empty(), now);
  if (members_.empty())
    news_.end();
  return !member.empty();
}

// -- messages to other nodes ----------------------------------------------------------

node_hello membership::hello(std::vector<std::string> addresses) const {
  return {options_.self.life, options_.address, draining_, std::move(addresses), has_tenure_.value_or(false)};
}

/// With the addresses of the members that joined after the first `joins`, except those that are known `there`.
node_hello membership::full_hello(std::uint64_t joins, const std::unordered_set<std::string_view>& there) const {
  auto result = hello();
  for (auto& [name, one] : members_)
    if (one.joined > joins && !there.contains(one.address))
      result.known.push_back(one.address);
  return result;
}

/// Greets all members, except one that alone is the news.
void membership::greet_all(membership_effects& out, const std::vector<std::string>& news) {
  for (auto& [name, one] : members_)
    if (news.size() != 1 || news.front() != one.address)
      out.push_back(greet{one.link, hello(news)});
}

void membership::spread_news(time_point now, membership_effects& out) {
  if (auto news = news_.due(now); !news.empty())
    greet_all(out, news);
  if (members_.empty() || !news_.reminds(now))
    return;
  auto next = members_.upper_bound(reminded_);
  if (next == members_.end())
    next = members_.begin();
  reminded_ = next->first;
  out.push_back(greet{next->second.link, full_hello()});
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
    result.push_back({one.life, name, one.link, one.draining});
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
  addresses_.resolve_due(now, out);
  give_up_silent(now, out);
  addresses_.forget(now, is_member());
  if (memory_)
    memory_->retain([this](auto& address) { return addresses_.knows(address); });
  spread_news(now, out);
  addresses_.dial_due(now, is_linked(), out);
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
  addresses_.begin_again(now);
  begun_ = now;
  settled_ = false;
  tell(out);
  out.push_back(log_note{log_note::weight::warning, "this node stood still: it looks for the others again", {}});
}

/// Cuts links whose node has not greeted in time: it may have disappeared without closing the connection.
void membership::give_up_silent(time_point now, membership_effects& out) {
  while (!new_links_.empty() && now >= new_links_.begin()->first) {
    auto id = new_links_.begin()->second;
    out.push_back(cut_link{id});
    drop(id, now);
  }
}

void membership::settle(time_point now, membership_effects& out) {
  if (settled_)
    return;
  auto may_be_found = members_.empty() && now < begun_ + options_.alone;
  settled_ = (!may_be_found && addresses_.all_tried(is_member())) || now >= settled_by();
  if (settled_)
    tell(out);
}

/// Before it has settled, this node does not know whom to keep.
std::optional<std::vector<std::string>> membership::next_remembered(time_point now) {
  return memory_ && settled_ ? memory_->next(now) : std::nullopt;
}

time_point membership::settled_by() const {
  return begun_ + (members_.empty() ? std::max(options_.settle, options_.alone) : options_.settle);
}

time_point membership::deadline() const {
  auto first = std::min(addresses_.deadline(), news_.deadline());
  if (!settled_)
    first = std::min(first, settled_by());
  else if (memory_)
    first = std::min(first, memory_->deadline());
  if (!settled_ && ticked_ < begun_ + options_.alone)
    first = std::min<time_point>(first, begun_ + options_.alone);
  if (options_.silence > options_.silence.zero())
    first = std::min<time_point>(first, ticked_ + options_.silence / 4);
  return new_links_.empty() ? first : std::min(first, new_links_.begin()->first);
}

} // namespace troupe::protocol

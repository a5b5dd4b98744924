#include "tests/simulation/cluster_actor.hpp"

#include "tests/simulation/node.hpp"

#include <set>
#include <utility>
#include <variant>

namespace troupe::tests::simulation {

namespace {

constexpr auto gate_limit = 5s;
constexpr auto leave_limit = 1s;

} // namespace

cluster_actor::cluster_actor(std::shared_ptr<process> at, node& of, network& net, const membership_options& options)
    : actor{at}, node_{of}, net_{net}, machine_{options, at->time.luck().next(), at->boot_now()} {}

void cluster_actor::begin() {
  post([this] { carry_out(machine_.begin(now())); });
}

// -- the network -----------------------------------------------------------------------------

void cluster_actor::offer(const std::shared_ptr<link_end>& end, node_card who) {
  dialling_.erase(end.get());
  end->id = ++last_;
  links_[end->id] = {end};
  post([this, end, who = std::move(who)] {
    if (leaves_by_)
      return decline(end->id);
    if (links_.contains(end->id))
      carry_out(machine_.offered(end->id, end->dialled, who, now()));
  });
}

void cluster_actor::dial_failed(const std::string& address, const std::string& why, std::optional<node_card> who,
                                bool is_refused) {
  post([this, address, why, who = std::move(who), is_refused] {
    carry_out(machine_.dial_failed(address, why, who, now(), is_refused));
  });
}

/// A question and an answer over the link, as `connect` of CAF's middleman.
void cluster_actor::opened(const std::shared_ptr<link_end>& end) {
  net_.send(end, [&net = net_, back = end->other, weak = std::weak_ptr{end}](node&) {
    if (auto other = back.lock())
      net.send(other, [weak](node& caller) {
        if (auto mine = weak.lock())
          caller.cluster().reached(mine);
      });
  });
}

void cluster_actor::reached(const std::shared_ptr<link_end>& end) {
  post([this, end] {
    auto found = links_.find(end->id);
    if (found == links_.end())
      return;
    found->second.has_gate = true;
    carry_out(machine_.reached(end->id));
  });
}

void cluster_actor::closed(const std::shared_ptr<link_end>& end) {
  if (dialling_.erase(end.get()) != 0)
    return dial_failed(end->dialled, "it closed the connection", std::nullopt);
  post([this, id = end->id] { lose(id); });
}

void cluster_actor::greeted(node_hello hello) {
  post([this, hello = std::move(hello)] {
    auto id = machine_.link_to(hello.life);
    if (!id)
      return;
    links_.at(*id).has_gate = true;
    carry_out(machine_.greeted(*id, hello, now()));
  });
}

void cluster_actor::decline(link_id id) {
  if (auto one = links_.extract(id))
    net_.refuse(one.mapped().end, "it is stopping");
}

void cluster_actor::lose(link_id id, bool has_left) {
  if (auto other = machine_.member_at(id); other && has_left)
    node_.router().node_left(*other);
  auto gone = links_.extract(id);
  if (gone.empty())
    return;
  net_.close(gone.mapped().end);
  if (!node_.has(planted::member_kept))
    carry_out(machine_.link_lost(id, now(), has_left));
  end_when_left();
}

void cluster_actor::tick() {
  if (leaves_by_) {
    remind_by_boot(*leaves_by_);
    return end_when_left();
  }
  if (auto tenure = node_.tenure())
    carry_out(machine_.tenure_runs(tenure->holds()));
  carry_out(machine_.tick(now()));
}

// -- the end ---------------------------------------------------------------------------------

void cluster_actor::drains() {
  post([this] {
    if (!std::exchange(drains_, true))
      carry_out(machine_.drain());
  });
}

void cluster_actor::leave() {
  post([this] { leave_now(); });
}

/// The gate ends first: other nodes learn that after all its messages, and close their links.
void cluster_actor::leave_now() {
  if (leaves_by_)
    return;
  leave_by(gate_limit);
  node_.gate().leave();
  std::vector<link_id> unheard;
  for (auto& [id, one] : links_)
    if (!one.has_gate)
      unheard.push_back(id);
  for (auto id : unheard)
    lose(id);
  end_when_left();
}

void cluster_actor::leave_by(span_of_time limit) {
  leaves_by_ = now() + limit;
  remind_by_boot(*leaves_by_);
}

void cluster_actor::gate_ended(bool is_normal) {
  post([this] { leave_by(leave_limit); });
  for (auto& [id, one] : links_)
    if (one.has_gate)
      net_.send(one.end, [back = one.end->other, is_normal](node& other) {
        if (auto its = back.lock())
          other.cluster().gate_gone(its, is_normal);
      });
}

void cluster_actor::gate_gone(const std::shared_ptr<link_end>& end, bool is_normal) {
  post([this, id = end->id, is_normal] { lose(id, is_normal); });
}

void cluster_actor::end_when_left() {
  if (leaves_by_ && (links_.empty() || now() >= *leaves_by_))
    quit();
}

void cluster_actor::ended() {
  node_.gate().leave();
  node_.stopping().cluster_ended();
}

// -- effects ---------------------------------------------------------------------------------

void cluster_actor::carry_out(membership_effects effects) {
  if (leaves_by_)
    return;
  for (auto& effect : effects)
    std::visit([this](auto& one) { perform(one); }, effect);
  if (auto addresses = machine_.next_remembered(now()))
    node_.remember(std::move(*addresses));
  remind_by_boot(machine_.deadline());
}

/// Names of hosts are addresses here.
void cluster_actor::perform(look_up& effect) {
  post([this, name = effect.name] { carry_out(machine_.looked_up(name, {name}, now())); });
}

void cluster_actor::perform(dial& effect) { net_.dial(node_.shared_from_this(), node_.host(), effect.address); }
void cluster_actor::perform(accept_link& effect) { net_.accept(links_.at(effect.link).end); }

void cluster_actor::perform(refuse_link& effect) {
  if (auto one = links_.extract(effect.link))
    net_.refuse(one.mapped().end, effect.why);
}

void cluster_actor::perform(cut_link& effect) {
  if (auto one = links_.extract(effect.link))
    net_.close(one.mapped().end);
}

void cluster_actor::perform(greet& effect) {
  auto to = links_.find(effect.link);
  if (to == links_.end() || !to->second.has_gate)
    return;
  auto& end = to->second.end;
  net_.send(end, [hello = effect.hello, back = end->other](node& other) {
    if (auto its = back.lock())
      other.gate().greeted(hello, its);
  });
}

void cluster_actor::perform(members_known& effect) {
  cluster_members result{{}, effect.settled, std::move(effect.ended)};
  for (auto& one : effect.nodes)
    if (auto found = links_.find(one.link); found != links_.end())
      result.nodes.push_back({one, found->second.end});
  at().note("knows", std::to_string(effect.nodes.size()) + (effect.settled ? " others" : " others, not settled"));
  std::set<std::size_t> hosts;
  for (auto& one : effect.nodes)
    hosts.insert(host_of(one.life));
  node_.checks().members(node_.host(), hosts);
  node_.gate().members(result);
  node_.router().members(std::move(result));
}

void cluster_actor::perform(store_cut_off& effect) { node_.registry().change_contact("store", effect.is_so); }
void cluster_actor::perform(log_note& effect) { at().note(effect.text); }

} // namespace troupe::tests::simulation

#include "tests/simulation/scale_links.hpp"

#include "protocol/text/fnv1a.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>

namespace troupe::tests::simulation {

namespace {

/// Time after which a call to a host without power fails, see `net/node/node_link.hpp`.
constexpr auto dial_limit = 2s;

std::string address_of(std::size_t node) {
  return "10.0." + std::to_string(node / 250) + "." + std::to_string(node % 250 + 1) + ":7946";
}

} // namespace

scale_links::scale_links(scheduler& time, std::size_t nodes, std::chrono::milliseconds heartbeat, std::size_t seeds,
                         link_costs costs)
    : time_{time}, heartbeat_{heartbeat}, seeds_{seeds}, costs_{costs}, nodes_(nodes) {
  for (std::size_t i = 0; i < nodes; ++i) {
    auto& one = nodes_[i];
    one.address = address_of(i);
    auto name = "node-" + std::to_string(i);
    one.card = {"8", {fnv1a_64(name), 0}, name};
    places_[one.address] = i;
  }
}

membership_options scale_links::options_for(std::size_t node) const {
  membership_options result;
  result.self = nodes_[node].card;
  result.address = nodes_[node].address;
  for (std::size_t i = 0; i < std::min(seeds_, nodes_.size()); ++i)
    result.seeds.push_back(address_of(i));
  result.settle = heartbeat_;
  result.silence = heartbeat_ * 4 / 5;
  result.store_patience = 3 * heartbeat_;
  return result;
}

// -- nodes -----------------------------------------------------------------------------------

void scale_links::start(std::size_t node) {
  auto& at = nodes_[node];
  at.card.life.incarnation = ++at.run;
  at.machine = std::make_unique<membership>(options_for(node), time_.luck().next(), time_.now());
  at.has_no_power = at.is_settled = false;
  at.known = 0;
  at.busy_until = time_.now();
  at.reminded = time_point::max();
  ++running_;
  recount();
  carry_out(at, at.machine->begin(time_.now()));
}

/// The kernel of a host with power closes the connections. Without power, the others wait for the next heartbeat.
void scale_links::stop(std::size_t node, end_of how) {
  auto& at = nodes_[node];
  at.has_no_power = how == end_of::power_lost;
  at.last_beat = time_.now() - time_.luck().between({}, heartbeat_ / 5);
  auto noticed_at = at.has_no_power ? at.last_beat + heartbeat_ * 4 / 5 : time_.now() + costs_.latency;
  for (auto& [id, one] : std::exchange(at.links, {})) {
    one->is_open = false;
    if (auto other = one->other.lock())
      later(nodes_[other->node], noticed_at,
            [this, id = other->id, how](host& peer) { lose(peer, id, how == end_of::leaves); });
  }
  at.machine.reset();
  ++at.run;
  --running_;
  recount();
}

bool scale_links::knows(std::size_t node, node_life other) const {
  auto& machine = nodes_[node].machine;
  return machine && machine->link_to(other).has_value();
}

void scale_links::announce_tenure(std::size_t node, bool runs) {
  auto& at = nodes_[node];
  if (at.machine)
    carry_out(at, at.machine->tenure_runs(runs));
}

void scale_links::note_known(host& at, std::size_t known, bool is_settled) {
  auto knew_all = knows_all(at);
  at.known = known;
  at.is_settled = is_settled;
  if (knows_all(at) == knew_all)
    return;
  complete_ += knew_all ? std::size_t(-1) : 1;
  if (is_complete())
    completed_at_ = time_.now();
}

void scale_links::recount() {
  complete_ = static_cast<std::size_t>(std::ranges::count_if(nodes_, [&](auto& one) { return knows_all(one); }));
  if (is_complete())
    completed_at_ = time_.now();
}

// -- figures ---------------------------------------------------------------------------------

link_traffic scale_links::traffic() const {
  link_traffic all;
  for (auto& one : nodes_) {
    all.messages += one.traffic.messages;
    all.bytes_sent += one.traffic.bytes_sent;
    all.bytes_received += one.traffic.bytes_received;
    all.links += one.traffic.links;
    all.busy += one.traffic.busy;
  }
  return all;
}

void scale_links::reset_traffic() {
  for (auto& one : nodes_)
    one.traffic = {};
}

/// A heartbeat is a header of BASP alone.
double scale_links::heartbeat_bytes(std::size_t node) const {
  auto a_second = 5.0 / std::chrono::duration<double>(heartbeat_).count();
  return static_cast<double>(nodes_[node].links.size() * costs_.message) * a_second;
}

span_of_time scale_links::heartbeat_time(std::size_t node) const {
  auto a_second = 5.0 / std::chrono::duration<double>(heartbeat_).count();
  auto both = 2.0 * static_cast<double>(nodes_[node].links.size()) * a_second;
  return std::chrono::duration_cast<span_of_time>(both *
                                                  std::chrono::duration<double, std::nano>(costs_.time_of_heartbeat));
}

// -- time ----------------------------------------------------------------------------------

/// Runs something at a node, unless that run of it has ended.
void scale_links::later(const host& at, time_point when, fact what) {
  time_.at(when, [this, node = index_of(at), run = at.run, what = std::move(what)] {
    if (auto& one = nodes_[node]; one.machine && one.run == run)
      what(one);
  });
}

void scale_links::work(host& at, span_of_time cost, fact what) {
  at.traffic.busy += cost;
  at.busy_until = std::max(at.busy_until, time_.now()) + cost;
  later(at, at.busy_until, std::move(what));
}

void scale_links::remind(host& at) {
  auto when = std::max(at.machine->deadline(), time_.now());
  if (when >= at.reminded)
    return;
  at.reminded = when;
  later(at, when, [this, when](host& one) {
    if (one.reminded != when)
      return;
    one.reminded = time_point::max();
    carry_out(one, one.machine->tick(time_.now()));
  });
}

// -- links -----------------------------------------------------------------------------------

/// Messages over one link stay in order: the receiver works on them as they arrive, after a constant time.
void scale_links::send(host& from, const end_ptr& by, std::size_t bytes, fact at_other) {
  if (!by->is_open)
    return;
  auto cost = cost_of(bytes);
  from.traffic.busy += cost;
  from.busy_until = std::max(from.busy_until, time_.now()) + cost;
  ++from.traffic.messages;
  from.traffic.bytes_sent += bytes;
  time_.at(from.busy_until + costs_.latency, [this, bytes, cost, to = by->other, at_other = std::move(at_other)] {
    auto other = to.lock();
    if (!other || !other->is_open)
      return;
    auto& peer = nodes_[other->node];
    peer.traffic.bytes_received += bytes;
    work(peer, cost, at_other);
  });
}

void scale_links::fail(const host& from, const std::string& address, const char* why, span_of_time after) {
  later(from, time_.now() + after, [this, address, why](host& one) {
    carry_out(one, one.machine->dial_failed(address, why, std::nullopt, time_.now()));
  });
}

/// The called side decides first. Both ends exist from the moment when both sides have said who they are.
void scale_links::call(host& from, const std::string& address) {
  auto found = places_.find(address);
  if (found == places_.end() || (!nodes_[found->second].machine && !nodes_[found->second].has_no_power))
    return fail(from, address, "connection refused", 2 * costs_.latency);
  auto& to = nodes_[found->second];
  if (!to.machine)
    return fail(from, address, "no answer", dial_limit);
  auto mine = std::make_shared<end>(end{.node = index_of(from), .run = from.run, .dialled = address});
  auto its = std::make_shared<end>(end{.node = found->second, .run = to.run, .other = mine});
  mine->other = its;
  for (auto one : {&from, &to}) {
    one->traffic.bytes_sent += costs_.link;
    one->traffic.bytes_received += costs_.link;
    ++one->traffic.links;
  }
  from.traffic.busy += costs_.time_of_link;
  from.busy_until = std::max(from.busy_until, time_.now()) + costs_.time_of_link;
  // Keeps the calling end alive until the called side has decided.
  time_.at(time_.now() + 4 * costs_.latency, [this, mine, its] {
    auto& callee = nodes_[its->node];
    auto& caller = nodes_[mine->node];
    if (!callee.machine || callee.run != its->run)
      return caller.run == mine->run && caller.machine ? fail(caller, mine->dialled, "it closed the connection", {})
                                                       : void();
    work(callee, costs_.time_of_link, [this, mine, its](host& one) {
      auto& peer = nodes_[mine->node];
      if (!peer.machine || peer.run != mine->run)
        return;
      its->id = ++one.last_link;
      one.links[its->id] = its;
      carry_out(one, one.machine->offered(its->id, {}, peer.card, time_.now()));
    });
  });
}

void scale_links::close(host& at, const end_ptr& one) {
  if (!std::exchange(one->is_open, false))
    return;
  if (auto other = one->other.lock())
    later(nodes_[other->node], std::max(at.busy_until, time_.now()) + costs_.latency,
          [this, id = other->id](host& peer) { lose(peer, id, false); });
}

void scale_links::lose(host& at, link_id id, bool has_left) {
  auto gone = at.links.extract(id);
  if (gone.empty())
    return;
  gone.mapped()->is_open = false;
  carry_out(at, at.machine->link_lost(id, time_.now(), has_left));
}

// -- effects ---------------------------------------------------------------------------------

void scale_links::carry_out(host& at, membership_effects effects) {
  for (auto& effect : effects)
    std::visit([&](auto& one) { perform(at, one); }, effect);
  remind(at);
}

void scale_links::perform(host& at, const look_up& effect) {
  later(at, time_.now() + costs_.latency,
        [this, name = effect.name](host& one) { carry_out(one, one.machine->looked_up(name, {name}, time_.now())); });
}

void scale_links::perform(host& at, const dial& effect) { call(at, effect.address); }

/// The dialling side decides last, and then asks for the gate of the other.
void scale_links::perform(host& at, const accept_link& effect) {
  auto& mine = at.links.at(effect.link);
  auto its = mine->other.lock();
  if (!its)
    return;
  if (!mine->dialled.empty())
    return later(at, time_.now() + 2 * costs_.latency, [this, id = effect.link](host& one) {
      if (one.links.contains(id))
        carry_out(one, one.machine->reached(id));
    });
  auto taken = [this, its, who = at.card](host& caller) {
    its->id = ++caller.last_link;
    caller.links[its->id] = its;
    carry_out(caller, caller.machine->offered(its->id, its->dialled, who, time_.now()));
  };
  later(nodes_[its->node], std::max(at.busy_until, time_.now()) + costs_.latency, taken);
}

void scale_links::perform(host& at, const refuse_link& effect) {
  auto gone = at.links.extract(effect.link);
  auto mine = gone.mapped();
  if (!mine->dialled.empty())
    return close(at, mine);
  mine->is_open = false;
  if (auto its = mine->other.lock())
    later(nodes_[its->node], std::max(at.busy_until, time_.now()) + costs_.latency,
          [this, its, who = at.card, why = effect.why](host& caller) {
            its->is_open = false;
            carry_out(caller, caller.machine->dial_failed(its->dialled, why, who, time_.now()));
          });
}

void scale_links::perform(host& at, const cut_link& effect) {
  if (auto gone = at.links.extract(effect.link))
    close(at, gone.mapped());
}

/// Addresses travel as numbers of nodes: in a large cluster more greetings are under way than the memory holds.
void scale_links::perform(host& at, const greet& effect) {
  auto found = at.links.find(effect.link);
  if (found == at.links.end())
    return;
  auto bytes = costs_.message + costs_.hello + effect.hello.address.size();
  std::vector<std::uint16_t> known;
  for (auto& one : effect.hello.known) {
    bytes += one.size() + 1;
    known.push_back(static_cast<std::uint16_t>(places_.at(one)));
  }
  auto hello = effect.hello;
  hello.known.clear();
  send(at, found->second, bytes,
       [this, hello = std::move(hello), known = std::make_shared<decltype(known)>(std::move(known))](host& peer) {
         auto id = peer.machine->link_to(hello.life);
         if (!id)
           return;
         auto all = hello;
         for (auto one : *known)
           all.known.push_back(nodes_[one].address);
         carry_out(peer, peer.machine->greeted(*id, all, time_.now()));
       });
}

void scale_links::perform(host& at, const members_known& effect) {
  note_known(at, effect.nodes.size(), effect.settled);
}

} // namespace troupe::tests::simulation

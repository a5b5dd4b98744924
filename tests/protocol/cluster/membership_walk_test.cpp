// Random walk: several nodes find each other over a network that drops messages, for many seeds.

#include "tests/support/membership_driver.hpp"
#include "tests/support/walk_seeds.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <set>

namespace troupe::tests::membership_walk_test {

namespace {

/// Nodes a, b, c, … each with its membership and two addresses. A link is a pair of numbers, one for each end. The
/// called node decides immediately, the caller a little later, when both may have changed their minds.
class network {
public:
  explicit network(std::uint64_t seed) : dice_{seed} {
    for (char name = 'a'; name < 'a' + count; ++name)
      start(name);
  }

  void run(std::chrono::milliseconds time, bool calm) {
    for (auto end = now_ + time; now_ < end; now_ += 50ms) {
      for (auto& [name, one] : nodes_)
        if (one.machine->deadline() <= now_)
          see(name, one.machine->tick(now_));
      answer_calls();
      if (!calm && below(10) == 0)
        disturb();
    }
  }

  void expect_all_together() {
    for (auto& [name, one] : nodes_) {
      std::set<std::string> known;
      for (auto& other : one.machine->nodes()) {
        known.insert(other.name);
        EXPECT_EQ(other.life, life_of(other.name[0], nodes_.at(other.name[0]).life));
      }
      EXPECT_EQ(known.size(), count - 1u) << name << " knows too few";
      EXPECT_TRUE(one.machine->settled());
    }
  }

private:
  static constexpr int count = 5;

  struct node {
    std::unique_ptr<membership> machine;
    std::uint64_t life = 0;
    /// The opposite end of each link.
    std::map<link_id, std::pair<char, link_id>> links;
    link_id last = 0;
  };

  /// A call whose caller has no answer yet.
  struct call {
    char from;
    link_id link;
    std::string to;
    char other;
  };

  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>{0, n - 1}(dice_); }

  /// Each node knows only the next and the first one. It learns of the others from messages.
  void start(char name) {
    auto& one = nodes_[name];
    auto next = static_cast<char>('a' + (name - 'a' + 1) % count);
    one.machine =
        std::make_unique<membership>(options_of(name, {address_of(next), "first"}, ++one.life), dice_(), now_);
    see(name, one.machine->begin(now_));
  }

  void restart(char name) {
    while (!nodes_[name].links.empty())
      cut(name, nodes_[name].links.begin()->first);
    start(name);
  }

  void cut(char name, link_id id) {
    auto [other, its] = nodes_[name].links.extract(id).mapped();
    nodes_[other].links.erase(its);
    see(other, nodes_[other].machine->link_lost(its, now_));
    see(name, nodes_[name].machine->link_lost(id, now_));
  }

  void disturb() {
    auto name = static_cast<char>('a' + below(count));
    if (below(4) == 0)
      return restart(name);
    if (auto& links = nodes_[name].links; !links.empty())
      cut(name, std::next(links.begin(), static_cast<std::ptrdiff_t>(below(links.size())))->first);
  }

  void see(char name, const membership_effects& effects) {
    for (auto& one : effects)
      std::visit([&](auto& effect) { saw(name, effect); }, one);
  }

  void saw(char name, const look_up& one) {
    auto address = one.name == "first" ? address_of('a') : one.name;
    auto other_name = address;
    other_name[5] = '9';
    see(name, nodes_[name].machine->looked_up(one.name, {address, other_name}, now_));
  }
  void saw(char name, const dial& one) {
    auto other = one.address[7];
    if (!nodes_.contains(other) || !nodes_[other].machine)
      return see(name, nodes_[name].machine->dial_failed(one.address, "nobody", {}, now_));
    auto mine = ++nodes_[name].last;
    auto its = ++nodes_[other].last;
    nodes_[name].links[mine] = {other, its};
    nodes_[other].links[its] = {name, mine};
    calls_.push_back({name, mine, one.address, other});
    see(other, nodes_[other].machine->offered(its, {}, card_of(name, nodes_[name].life), now_));
  }
  void saw(char, const accept_link&) {}
  void saw(char name, const store_cut_off&) { ADD_FAILURE() << name << " misses a store, and has none"; }
  /// Some callers learn the outcome of their call at once, others later.
  void answer_calls() {
    for (auto& one : std::exchange(calls_, {}))
      if (below(2) == 0)
        calls_.push_back(one);
      else
        answer(one);
  }
  void answer(const call& one) {
    auto& self = nodes_[one.from];
    auto who = card_of(one.other, nodes_[one.other].life);
    if (!self.links.contains(one.link))
      return see(one.from, self.machine->dial_failed(one.to, "refused", who, now_));
    see(one.from, self.machine->offered(one.link, one.to, who, now_));
    if (self.links.contains(one.link))
      see(one.from, self.machine->reached(one.link));
  }
  /// Closes the link at this side, and the other side notices.
  void part(char name, link_id id) {
    auto end = nodes_[name].links.extract(id);
    if (end.empty())
      return;
    auto [other, its] = end.mapped();
    nodes_[other].links.erase(its);
    see(other, nodes_[other].machine->link_lost(its, now_));
  }
  void saw(char name, const greet& one) {
    auto end = nodes_[name].links.find(one.link);
    if (end == nodes_[name].links.end())
      return;
    auto [other, its] = end->second;
    see(other, nodes_[other].machine->greeted(its, one.hello, now_));
  }
  void saw(char name, const refuse_link& one) { part(name, one.link); }
  void saw(char name, const cut_link& one) { part(name, one.link); }
  void saw(char, const members_known&) {}
  void saw(char, const log_note&) {}

  std::mt19937_64 dice_;
  time_point now_{1h};
  std::map<char, node> nodes_;
  std::vector<call> calls_;
};

} // namespace

TEST(membership_walk, ends_with_all_together_whatever_broke_before) {
  for (unsigned seed = 1, seeds = walk_seeds(200); seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    network net{seed};
    net.run(20s, false);
    net.run(15s, true);
    net.expect_all_together();
    if (HasFailure())
      return;
  }
}

} // namespace troupe::tests::membership_walk_test

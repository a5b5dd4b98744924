// Lives of nodes that are not members, and whether they have ended.

#include "protocol/cluster/lost_lives.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::lost_lives_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

using state = lost_lives::state;

const node_life self{1, 5};
const node_life other{2, 5};
const node_life stranger{3, 5};

node_life earlier(node_life of) { return {of.node, of.incarnation - 1}; }
node_life later(node_life of) { return {of.node, of.incarnation + 1}; }

/// A node with one other member.
struct watch {
  watch() { knows({other}); }
  void knows(const std::set<node_life>& alive, bool settled = true) { it.members(alive, settled, now); }
  state of(node_life which) { return it.of(which, now); }
  state after(std::chrono::milliseconds time, node_life which) {
    now += time;
    return of(which);
  }

  time_point now{1h};
  lost_lives it{self, {2s, 10s}};
};

} // namespace

TEST(lost_lives, have_ended_when_a_later_one_of_the_node_is_a_member) {
  watch a;
  EXPECT_EQ(a.of(earlier(self)), state::ended);
  EXPECT_EQ(a.of(earlier(other)), state::ended);
  EXPECT_EQ(a.of(later(other)), state::awaited);
  a.knows({later(other)});
  EXPECT_EQ(a.of(other), state::ended);
  a.knows({});
  EXPECT_EQ(a.of(other), state::ended);
  EXPECT_EQ(a.of(later(other)), state::awaited);
}

TEST(lost_lives, have_ended_when_others_report_it_unless_they_return) {
  watch a;
  a.knows({});
  a.it.ended(other);
  EXPECT_EQ(a.of(other), state::ended);
  EXPECT_EQ(a.of(later(other)), state::awaited);
  a.knows({other});
  a.knows({});
  EXPECT_EQ(a.of(other), state::awaited);
}

/// The incarnation of a node is the time of its start.
TEST(lost_lives, of_a_node_whose_clock_went_back_do_not_end_with_those_before) {
  const auto back = earlier(other);
  for (auto is_known_before : {true, false}) {
    watch a;
    a.knows({});
    if (is_known_before)
      a.it.ended(other);
    a.knows({back});
    if (!is_known_before)
      a.it.ended(other);
    a.knows({back});
    a.knows({});
    EXPECT_EQ(a.of(back), state::awaited);
    EXPECT_EQ(a.of(other), state::ended);
    EXPECT_EQ(a.of(earlier(back)), state::ended);
    a.it.ended(back);
    EXPECT_EQ(a.of(back), state::ended);
    a.knows({other});
    a.knows({});
    EXPECT_EQ(a.of(other), state::awaited) << "it has returned";
  }
}

TEST(lost_lives, are_waited_for_and_then_may_return_until_the_patience_ends) {
  watch a;
  a.knows({});
  EXPECT_EQ(a.of(other), state::awaited);
  EXPECT_EQ(a.it.awaited_until(other), a.now + 2s);
  EXPECT_EQ(a.after(1999ms, other), state::awaited);
  EXPECT_EQ(a.after(1ms, other), state::unreachable);
  EXPECT_EQ(a.after(7999ms, other), state::unreachable);
  EXPECT_EQ(a.after(1ms, other), state::awaited) << "the first question may be that of a node that stood still";
  EXPECT_EQ(a.it.awaited_until(other), a.now + 2s);
  EXPECT_EQ(a.after(1999ms, other), state::awaited);
  EXPECT_EQ(a.after(1ms, other), state::ended);
}

TEST(lost_lives, that_were_never_seen_are_missing_from_the_first_question_on) {
  watch a;
  a.now += 1h;
  EXPECT_EQ(a.of(stranger), state::awaited);
  EXPECT_EQ(a.after(9s, stranger), state::unreachable);
  EXPECT_EQ(a.after(1s, stranger), state::awaited);
  EXPECT_EQ(a.after(2s, stranger), state::ended);
}

TEST(lost_lives, are_missing_for_a_new_time_after_they_were_members_again) {
  watch a;
  a.knows({});
  a.now += 9s;
  a.knows({other});
  a.knows({});
  EXPECT_EQ(a.after(9s, other), state::unreachable);
}

TEST(lost_lives, are_missing_for_a_new_time_when_this_node_stood_still) {
  watch a;
  a.knows({});
  a.now += 9s;
  a.knows({}, false);
  a.knows({});
  EXPECT_EQ(a.after(9s, other), state::unreachable);
}

TEST(lost_lives, are_forgotten_when_there_are_too_many) {
  watch a;
  for (std::uint64_t i = 0; i < lost_lives::most + 10; ++i)
    EXPECT_EQ(a.of({100 + i, 1}), state::awaited);
  a.now += 10s;
  EXPECT_EQ(a.after(2s, {100 + lost_lives::most, 1}), state::awaited);
  EXPECT_EQ(a.after(2s, {100 + lost_lives::most, 1}), state::ended);
}

/// Nodes with ever new names, as of containers, come and go.
TEST(lost_lives, are_known_of_so_many_nodes) {
  watch a;
  for (std::uint64_t i = 0; i < lost_lives::most; ++i)
    a.knows({{100 + i, 5}});
  EXPECT_EQ(a.of({99 + lost_lives::most, 4}), state::ended);
  EXPECT_EQ(a.of(earlier(self)), state::awaited);
  a.it.ended({50, 5});
  EXPECT_EQ(a.of({50, 5}), state::ended);
}

TEST(lost_lives, may_return_within_three_heartbeats_and_ten_seconds) {
  EXPECT_EQ(lost_lives::limits::patience_with(3333ms), 10s);
  EXPECT_EQ(lost_lives::limits::patience_with(3334ms), 10'002ms);
}

} // namespace troupe::tests::lost_lives_test

// The rate and order in which sessions leave a draining node.

#include "protocol/session/gateway_drain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace troupe::tests::paced_drain_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

using numbers = std::vector<std::uint64_t>;

constexpr auto begun = time_point{} + 1000s;

/// Unused sessions that leave as soon as they may.
struct leaving_node {
  explicit leaving_node(drain_rate rate, std::size_t count = 0) : pace{rate, begun} {
    for (std::uint64_t number = 1; number <= count; ++number)
      all.push_back({number, begun});
  }
  numbers at(time_point::duration after) {
    auto result = pace.tick(all, is_taken_in, begun + after);
    const std::set leave(result.begin(), result.end());
    std::erase_if(all, [&](auto& one) { return leave.contains(one.number); });
    for (auto number : result)
      pace.left(number);
    return result;
  }
  /// Ticks at each deadline, slightly late.
  void go_on_until(time_point::duration end, time_point::duration late) {
    for (auto now = begun; now <= begun + end && !pace.is_over(); now = pace.deadline() + late)
      at(now - begun);
  }

  paced_drain pace;
  std::vector<movable_session> all;
  bool is_taken_in = true;
};

} // namespace

TEST(paced_drain, lets_one_session_leave_at_once_and_each_other_at_its_turn) {
  leaving_node it{{2, 1s}, 3};
  EXPECT_EQ(it.at(0ms), numbers{1});
  EXPECT_EQ(it.pace.deadline(), begun + 500ms);
  EXPECT_EQ(it.at(499ms), numbers{});
  EXPECT_EQ(it.at(500ms), numbers{2});
  EXPECT_EQ(it.at(1000ms), numbers{3});
  EXPECT_FALSE(it.pace.is_over());
  EXPECT_EQ(it.pace.moved(), 3u);
  EXPECT_EQ(it.at(1001ms), numbers{});
  EXPECT_TRUE(it.pace.is_over());
}

TEST(paced_drain, is_over_at_once_where_no_session_can_move) {
  leaving_node it{{1, 60s}};
  EXPECT_EQ(it.at(0ms), numbers{});
  EXPECT_TRUE(it.pace.is_over());
}

TEST(paced_drain, keeps_a_slow_rate) {
  leaving_node it{{1, 60s}, 3};
  EXPECT_EQ(it.at(0ms), numbers{1});
  EXPECT_EQ(it.at(59'999ms), numbers{});
  EXPECT_EQ(it.at(60'000ms), numbers{2});
  EXPECT_EQ(it.at(119'999ms), numbers{});
  EXPECT_EQ(it.at(120'000ms), numbers{3});
}

TEST(paced_drain, keeps_a_rate_that_its_time_is_no_multiple_of_however_late_each_turn_is) {
  leaving_node it{{7, 1s}, 1000};
  it.go_on_until(100s, 3ms);
  EXPECT_GE(it.pace.moved(), 700u) << "seven in each second";
  EXPECT_LE(it.pace.moved(), 701u) << "and one at the beginning";
}

TEST(paced_drain, keeps_the_greatest_rate) {
  leaving_node it{{most_to_leave, 1s}, 9'000};
  it.at(0ms);
  EXPECT_EQ(it.pace.deadline(), begun + paced_drain::shortest_wait) << "for many turns at once";
  it.go_on_until(500ms, 10ms);
  EXPECT_GE(it.pace.moved(), 4'400u) << "all but those of the last wait";
  EXPECT_LE(it.pace.moved(), 5'001u);
}

TEST(paced_drain, makes_up_for_a_lag_and_not_for_a_standstill) {
  leaving_node it{{20, 1s}, 100};
  EXPECT_EQ(it.at(0ms).size(), 1u);
  EXPECT_EQ(it.at(50ms + paced_drain::longest_lag).size(), 6u) << "all that were due";
  EXPECT_EQ(it.at(60s).size(), 6u) << "those of the lag, and the one whose turn it is";
  EXPECT_EQ(it.at(60s + 49ms).size(), 0u);
  EXPECT_EQ(it.at(60s + 50ms).size(), 1u);
}

TEST(paced_drain, lets_the_longest_idle_go_first_and_those_in_use_last) {
  leaving_node it{{1, 1s}};
  it.all = {{1}, {2, begun - 1s}, {3, begun - 3s}, {4}, {5, begun - 2s}};
  numbers order;
  for (auto second = 0s; second < 5s; ++second)
    std::ranges::copy(it.at(second), std::back_inserter(order));
  EXPECT_EQ(order, (numbers{3, 5, 2, 1, 4}));
}

TEST(paced_drain, tells_a_session_again_that_is_still_there_and_takes_no_turn_for_it) {
  paced_drain it{{1, 1s}, begun};
  const std::vector<movable_session> all{{1}, {2}};
  EXPECT_EQ(it.tick(all, true, begun), numbers{1});
  EXPECT_EQ(it.tick(all, true, begun + 999ms), numbers{});
  EXPECT_EQ(it.tick(all, true, begun + 1s), (numbers{1, 2}));
  EXPECT_EQ(it.deadline(), begun + 2s);
  EXPECT_FALSE(it.is_over()) << "they are in use";
  it.left(1);
  it.left(2);
  it.left(3);
  EXPECT_EQ(it.moved(), 2u);
  EXPECT_EQ(it.tick({}, true, begun + 2s), numbers{});
  EXPECT_TRUE(it.is_over());
}

TEST(paced_drain, counts_none_as_moved_that_has_ended) {
  paced_drain it{{1, 1s}, begun};
  it.tick({{1, begun}}, true, begun);
  it.tick({}, true, begun + 1s);
  EXPECT_TRUE(it.is_over());
  EXPECT_EQ(it.moved(), 0u);
}

TEST(paced_drain, waits_while_no_other_node_takes_sessions_and_goes_on_at_the_rate) {
  leaving_node it{{20, 1s}, 100};
  it.is_taken_in = false;
  EXPECT_EQ(it.at(0ms), numbers{});
  EXPECT_EQ(it.pace.deadline(), begun + paced_drain::patience) << "to look again";
  EXPECT_EQ(it.at(30s), numbers{});
  EXPECT_FALSE(it.pace.is_over());
  it.is_taken_in = true;
  EXPECT_LE(it.at(31s).size(), 6u);
  EXPECT_EQ(it.at(31s + 50ms).size(), 1u);
}

TEST(paced_drain, waits_for_sessions_that_may_be_another_nodes) {
  leaving_node it{{10, 1s}};
  it.all = {{1, begun, false}, {2, begun, false}};
  EXPECT_EQ(it.at(0ms), numbers{});
  EXPECT_FALSE(it.pace.is_over());
  it.all[1].is_ours = true;
  EXPECT_EQ(it.at(1s), numbers{2});
}

TEST(paced_drain, goes_on_at_another_rate_from_the_moment_of_the_change) {
  leaving_node it{{1, 60s}, 10};
  EXPECT_EQ(it.at(0ms), numbers{1});
  it.pace.change({2, 1s}, begun + 10s);
  EXPECT_EQ(it.at(10s), numbers{2});
  EXPECT_EQ(it.at(10s + 500ms), numbers{3});
  it.pace.change({2, 1s}, begun + 10s + 600ms);
  EXPECT_EQ(it.at(10s + 600ms), numbers{}) << "the same rate begins no turn";
}

} // namespace troupe::tests::paced_drain_test

// The old process of a program, seen by the new one: when the new one accepts clients, and when it gives up.

#include "protocol/handover/predecessor.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::predecessor_test {

using namespace protocol;
using namespace std::chrono_literals;
using order = predecessor::order;

namespace {

constexpr time_point start{1h};

} // namespace

TEST(predecessor, is_followed_once_it_has_handed_over) {
  predecessor one{start};
  EXPECT_EQ(one.due(), start + predecessor::hand_over_limit);
  EXPECT_EQ(one.tick(start + predecessor::hand_over_limit - 1ns), order::wait);
  EXPECT_EQ(one.handed_over(), order::take_over);
  EXPECT_EQ(one.due(), time_point::max());
}

TEST(predecessor, is_replaced_at_once_when_it_ends_before_the_handover) {
  predecessor one{start};
  EXPECT_EQ(one.not_handed_over(start + 1s), order::wait);
  EXPECT_EQ(one.due(), start + 1s + predecessor::end_limit);
  EXPECT_EQ(one.ended(), order::begin_alone);
  EXPECT_EQ(one.due(), time_point::max());
}

TEST(predecessor, is_left_alone_when_it_runs_on_without_its_link) {
  predecessor one{start};
  one.not_handed_over(start);
  EXPECT_EQ(one.tick(start + predecessor::end_limit - 1ns), order::wait);
  EXPECT_EQ(one.tick(start + predecessor::end_limit), order::give_up);
  EXPECT_EQ(one.due(), time_point::max());
}

TEST(predecessor, is_left_alone_when_it_does_not_hand_over_in_time) {
  predecessor one{start};
  const auto late = start + predecessor::hand_over_limit;
  EXPECT_EQ(one.tick(late), order::wait) << "it may have ended";
  EXPECT_EQ(one.due(), late + predecessor::end_limit);
  EXPECT_EQ(one.tick(late + predecessor::end_limit), order::give_up);
}

/// The link tells more than the end of the process: the old process may have handed over just before.
TEST(predecessor, that_has_ended_is_asked_for_its_last_word_first) {
  predecessor one{start};
  EXPECT_EQ(one.ended(), order::wait);
  EXPECT_EQ(one.handed_over(), order::take_over);
}

} // namespace troupe::tests::predecessor_test

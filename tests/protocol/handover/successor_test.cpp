// The new process of a program: when it is given up, and when the old one accepts clients again.

#include "protocol/handover/successor.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::successor_test {

using namespace protocol;
using namespace std::chrono_literals;
using order = successor::order;

namespace {

constexpr auto now = time_point{1h};

/// Process that has taken over.
struct serving : successor {
  serving() {
    started(now);
    handed_over();
  }
};

} // namespace

TEST(a_successor, is_the_only_one_at_a_time) {
  successor one;
  EXPECT_EQ(one.why_not(), "");
  one.started(now);
  EXPECT_EQ(one.why_not(), "another process is starting already");
  one.failed();
  EXPECT_EQ(one.why_not(), "");
}

TEST(a_successor, is_killed_when_it_does_not_begin_in_time) {
  successor one;
  EXPECT_EQ(one.due(), time_point::max());
  one.started(now);
  EXPECT_EQ(one.due(), now + successor::start_limit);
  EXPECT_EQ(one.tick(now + successor::start_limit - 1ms), order::none);
  EXPECT_EQ(one.tick(now + successor::start_limit), order::kill);
  EXPECT_EQ(one.tick(now + successor::start_limit), order::none) << "once";
  EXPECT_EQ(one.why_not(), "");
}

TEST(a_successor, is_left_alone_once_it_has_taken_over) {
  serving one;
  EXPECT_TRUE(one.has_taken_over());
  EXPECT_EQ(one.due(), time_point::max());
  EXPECT_EQ(one.tick(now + 1h), order::none);
  EXPECT_EQ(one.ended(), order::none) << "nobody has asked for it";
}

TEST(a_successor, that_closes_its_link_is_waited_for) {
  serving one;
  EXPECT_EQ(one.lost(false, now), order::none);
  EXPECT_EQ(one.why_not(), "the new process has not ended yet");
  EXPECT_EQ(one.lost(false, now), order::none) << "once";
  EXPECT_EQ(one.ended(), order::take_back);
  EXPECT_EQ(one.ended(), order::none);
  EXPECT_FALSE(one.has_taken_over());
  EXPECT_EQ(one.why_not(), "");
  EXPECT_EQ(one.due(), time_point::max());
}

TEST(a_successor, that_closes_its_link_and_lives_on_is_never_killed) {
  serving one;
  one.lost(false, now);
  EXPECT_EQ(one.due(), now + successor::end_limit);
  EXPECT_EQ(one.tick(now + successor::end_limit - 1ms), order::none);
  EXPECT_EQ(one.tick(now + successor::end_limit), order::end);
  EXPECT_EQ(one.ended(), order::none);
}

TEST(a_successor, that_hangs_is_killed_and_its_end_waited_for) {
  serving one;
  EXPECT_EQ(one.lost(true, now), order::kill);
  EXPECT_EQ(one.tick(now + 1h), order::none) << "both would accept clients";
  EXPECT_EQ(one.ended(), order::take_back);
}

TEST(a_successor, that_hangs_and_cannot_be_killed_continues_alone) {
  serving one;
  one.lost(true, now);
  EXPECT_EQ(one.not_killed(), order::end);
  EXPECT_TRUE(one.has_taken_over());
}

TEST(a_successor, is_followed_by_another_after_its_end) {
  serving one;
  one.lost(false, now);
  one.ended();
  one.started(now + 1min);
  EXPECT_TRUE(one.is_starting());
  EXPECT_EQ(one.lost(false, now), order::none) << "it has not taken over";
  one.handed_over();
  EXPECT_EQ(one.lost(true, now), order::kill);
}

} // namespace troupe::tests::successor_test

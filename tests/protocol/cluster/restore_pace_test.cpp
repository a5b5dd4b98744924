// Rate limit for restoring the sessions of lost nodes.

#include "protocol/cluster/restore_pace.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::restore_pace_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

using turn = restore_pace::turn;
using names = std::vector<std::string>;

constexpr time_point begun{1h};

std::string session(std::size_t number) { return "s" + std::to_string(number); }

/// A pace of three a second, with a clock.
struct paced {
  turn asked(std::size_t number) { return it.asked(session(number), now); }
  void restores(std::size_t number) { it.found(session(number), true, now); }
  names after(std::chrono::milliseconds time) { return it.due(now += time); }

  time_point now = begun;
  restore_pace it{3};
};

} // namespace

TEST(restore_pace, lets_so_many_sessions_begin_in_a_second) {
  paced t;
  for (std::size_t i : {1U, 2U, 3U}) {
    EXPECT_EQ(t.asked(i), turn::now);
    t.restores(i);
  }
  EXPECT_EQ(t.asked(4), turn::later);
  EXPECT_EQ(t.it.deadline(), t.now + 1s);
  EXPECT_EQ(t.after(999ms), names{});
  EXPECT_EQ(t.after(1ms), names{"s4"});
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(restore_pace, counts_any_second_and_not_those_of_a_clock) {
  paced t;
  t.asked(1);
  t.restores(1);
  t.after(900ms);
  for (std::size_t i : {2U, 3U}) {
    EXPECT_EQ(t.asked(i), turn::now);
    t.restores(i);
  }
  for (std::size_t i : {4U, 5U})
    EXPECT_EQ(t.asked(i), turn::later);
  EXPECT_EQ(t.after(100ms), names{"s4"});
  t.restores(4);
  EXPECT_EQ(t.after(899ms), names{});
  EXPECT_EQ(t.after(1ms), names{"s5"});
}

TEST(restore_pace, serves_who_came_first) {
  paced t;
  for (std::size_t i = 1; i <= 7; ++i)
    EXPECT_EQ(t.asked(i), i <= 3 ? turn::now : turn::later);
  for (std::size_t i : {1U, 2U, 3U})
    t.restores(i);
  EXPECT_EQ(t.after(1s), (names{"s4", "s5", "s6"}));
  EXPECT_EQ(t.asked(8), turn::later) << "one waits already";
  for (std::size_t i : {4U, 5U, 6U})
    t.restores(i);
  EXPECT_EQ(t.after(1s), (names{"s7", "s8"}));
}

TEST(restore_pace, does_not_count_what_begins_elsewhere) {
  paced t;
  for (std::size_t i : {1U, 2U, 3U})
    t.asked(i);
  EXPECT_EQ(t.asked(4), turn::later);
  EXPECT_EQ(t.it.deadline(), time_point::max()) << "nobody knows yet";
  t.it.found("s2", false, t.now);
  EXPECT_LE(t.it.deadline(), t.now);
  EXPECT_EQ(t.it.due(t.now), names{"s4"});
  t.it.found("other", true, t.now);
  t.it.found("s1", false, t.now);
  EXPECT_EQ(t.asked(5), turn::now);
}

TEST(restore_pace, refuses_who_would_wait_for_too_long) {
  paced t;
  for (std::size_t i = 1; i <= 3; ++i)
    t.asked(i);
  auto most = 3 * static_cast<std::size_t>(restore_pace::patience.count());
  for (std::size_t i = 1; i <= most; ++i)
    EXPECT_EQ(t.asked(3 + i), turn::later) << i;
  EXPECT_EQ(t.asked(0), turn::never);
  EXPECT_EQ(t.it.pause(), restore_pace::patience);
  t.it.found("s1", false, t.now);
  EXPECT_EQ(t.it.due(t.now).size(), 1U);
  EXPECT_EQ(t.asked(0), turn::later);
}

} // namespace troupe::tests::restore_pace_test

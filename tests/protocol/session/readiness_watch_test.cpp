#include "protocol/session/gateway_drain.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::readiness_watch_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

constexpr time_point begin{1h};
constexpr auto most = readiness_watch::longest_pause + readiness_watch::leeway;

readiness_watch asked_twice(time_point::duration pause) {
  readiness_watch result;
  result.asked("a", begin - pause, true);
  result.asked("a", begin, true);
  return result;
}

} // namespace

TEST(readiness_watch_test, awaits_nobody_who_has_not_asked_twice) {
  readiness_watch watch;
  EXPECT_FALSE(watch.is_awaited(begin));
  watch.asked("a", begin, true);
  EXPECT_FALSE(watch.is_awaited(begin));
  EXPECT_FALSE(watch.is_watched(begin));
}

TEST(readiness_watch_test, awaits_the_next_question_for_twice_the_pause_between_the_last_two) {
  auto watch = asked_twice(1s);
  EXPECT_TRUE(watch.is_awaited(begin));
  EXPECT_TRUE(watch.is_awaited(begin + 2s - 1ms));
  EXPECT_FALSE(watch.is_awaited(begin + 2s));
}

TEST(readiness_watch_test, awaits_nobody_who_has_heard_that_the_node_is_not_ready) {
  auto watch = asked_twice(1s);
  watch.asked("a", begin + 1s, false);
  EXPECT_FALSE(watch.is_awaited(begin + 1s));
}

TEST(readiness_watch_test, awaits_each_of_several) {
  auto watch = asked_twice(1s);
  watch.asked("b", begin, true);
  watch.asked("b", begin + 900ms, true);
  watch.asked("a", begin + 1s, false);
  EXPECT_TRUE(watch.is_awaited(begin + 1s));
  watch.asked("b", begin + 1800ms, false);
  EXPECT_FALSE(watch.is_awaited(begin + 1800ms));
}

TEST(readiness_watch_test, awaits_nobody_who_asks_seldom) {
  EXPECT_TRUE(asked_twice(most).is_awaited(begin));
  EXPECT_FALSE(asked_twice(most + 1ms).is_awaited(begin));
}

TEST(readiness_watch_test, is_watched_while_somebody_asks_again_and_again) {
  auto watch = asked_twice(most);
  EXPECT_TRUE(watch.is_watched(begin + most - 1ms));
  EXPECT_FALSE(watch.is_watched(begin + most));
}

// Connections from the same address, with the same name.
TEST(readiness_watch_test, is_watched_by_several_that_are_taken_for_one) {
  auto watch = asked_twice(900ms);
  watch.asked("a", begin + 50ms, false);
  watch.asked("a", begin + 100ms, false);
  EXPECT_TRUE(watch.is_watched(begin + 1s));
}

TEST(readiness_watch_test, forgets_who_has_not_asked_for_the_longest_time) {
  auto watch = asked_twice(1s);
  for (std::size_t i = 1; i <= readiness_watch::most_askers; ++i) {
    EXPECT_TRUE(watch.is_watched(begin));
    watch.asked("b" + std::to_string(i), begin + 1ms, true);
  }
  EXPECT_FALSE(watch.is_watched(begin));
}

} // namespace troupe::tests::readiness_watch_test

#include "protocol/session/readiness_watch.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::readiness_watch_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

constexpr time_point begin{1h};

readiness_watch asked_twice(time_point::duration pause) {
  readiness_watch result;
  result.asked(begin - pause, true);
  result.asked(begin, true);
  return result;
}

} // namespace

TEST(readiness_watch_test, awaits_nobody_who_has_not_asked_twice) {
  readiness_watch watch;
  EXPECT_FALSE(watch.is_awaited(begin));
  watch.asked(begin, true);
  EXPECT_FALSE(watch.is_awaited(begin));
}

TEST(readiness_watch_test, awaits_the_next_question_for_twice_the_pause_between_the_last_two) {
  auto watch = asked_twice(1s);
  EXPECT_TRUE(watch.is_awaited(begin));
  EXPECT_TRUE(watch.is_awaited(begin + 2s - 1ms));
  EXPECT_FALSE(watch.is_awaited(begin + 2s));
}

TEST(readiness_watch_test, awaits_nobody_who_has_heard_that_the_node_is_not_ready) {
  auto watch = asked_twice(1s);
  watch.asked(begin + 1s, false);
  EXPECT_FALSE(watch.is_awaited(begin + 1s));
  EXPECT_TRUE(watch.is_watched(begin + 1s));
  EXPECT_TRUE(watch.is_watched(begin + 3s - 1ms));
  EXPECT_FALSE(watch.is_watched(begin + 3s));
}

TEST(readiness_watch_test, is_watched_by_several_who_ask_in_turn) {
  auto watch = asked_twice(900ms);
  watch.asked(begin + 100ms, false);
  EXPECT_TRUE(watch.is_watched(begin + 1s));
}

TEST(readiness_watch_test, awaits_nobody_who_asks_seldom) {
  const auto most = readiness_watch::longest_pause;
  EXPECT_TRUE(asked_twice(most - 1ms).is_awaited(begin));
  EXPECT_TRUE(asked_twice(most).is_awaited(begin));
  EXPECT_FALSE(asked_twice(most + 1ms).is_awaited(begin));
}

} // namespace troupe::tests::readiness_watch_test

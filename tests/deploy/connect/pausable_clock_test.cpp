#include "deploy/connect/connector.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace troupe::tests::pausable_clock_test {

using namespace deploy;

TEST(pausable_clock, does_not_count_the_time_that_it_stood) {
  using std::chrono::seconds;
  const auto at = [](int second) { return protocol::time_point{seconds{second}}; };
  pausable_clock clock;
  EXPECT_EQ(clock.at(at(10)), at(10));
  clock.stop(at(10));
  clock.stop(at(11));
  EXPECT_TRUE(clock.is_paused());
  EXPECT_EQ(clock.at(at(15)), at(10));
  clock.resume(at(20));
  clock.resume(at(21));
  EXPECT_FALSE(clock.is_paused());
  EXPECT_EQ(clock.at(at(22)), at(12));
  EXPECT_EQ(clock.when(at(12)), at(22));
}

} // namespace troupe::tests::pausable_clock_test

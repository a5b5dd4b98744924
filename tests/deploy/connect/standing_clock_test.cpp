#include "deploy/connect/connector.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace troupe::tests::standing_clock_test {

using namespace deploy;

TEST(standing_clock, does_not_count_the_time_that_it_stood) {
  using std::chrono::seconds;
  const auto at = [](int second) { return protocol::time_point{seconds{second}}; };
  standing_clock clock;
  EXPECT_EQ(clock.at(at(10)), at(10));
  clock.stop(at(10));
  clock.stop(at(11));
  EXPECT_TRUE(clock.stands());
  EXPECT_EQ(clock.at(at(15)), at(10));
  clock.go_on(at(20));
  clock.go_on(at(21));
  EXPECT_FALSE(clock.stands());
  EXPECT_EQ(clock.at(at(22)), at(12));
  EXPECT_EQ(clock.when(at(12)), at(22));
}

} // namespace troupe::tests::standing_clock_test

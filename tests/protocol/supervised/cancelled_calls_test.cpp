#include "protocol/supervised/server_calls.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::cancelled_calls_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

constexpr time_point start{1h};

} // namespace

TEST(cancelled_calls, are_of_anybody_when_there_are_none) {
  cancelled_calls all;
  EXPECT_TRUE(all.only_of(1));
}

TEST(cancelled_calls, tell_whether_all_are_of_one_user) {
  cancelled_calls all;
  all.add(1, 7, start);
  all.add(2, 7, start);
  EXPECT_TRUE(all.only_of(7));
  EXPECT_FALSE(all.only_of(8));
  all.add(3, 8, start);
  EXPECT_FALSE(all.only_of(7));
  EXPECT_FALSE(all.only_of(8));
}

TEST(cancelled_calls, are_forgotten_when_they_are_answered) {
  cancelled_calls all;
  all.add(1, 7, start);
  all.answered(2);
  EXPECT_FALSE(all.only_of(8));
  all.answered(1);
  EXPECT_TRUE(all.only_of(8));
}

TEST(cancelled_calls, are_forgotten_after_30_seconds) {
  cancelled_calls all;
  all.add(1, 7, start);
  all.tick(start + 30s - 1ns);
  EXPECT_FALSE(all.only_of(8));
  all.tick(start + 30s);
  EXPECT_TRUE(all.only_of(8));
}

TEST(cancelled_calls, are_of_no_user_when_there_are_too_many) {
  cancelled_calls all;
  for (std::uint64_t own = 1; own <= 999; ++own)
    all.add(own, 7, start);
  EXPECT_TRUE(all.only_of(7));
  all.add(1000, 7, start);
  EXPECT_FALSE(all.only_of(7));
  all.add(1001, 7, start);
  all.answered(1001);
  EXPECT_FALSE(all.only_of(7));
  all.answered(1000);
  EXPECT_TRUE(all.only_of(7));
}

} // namespace troupe::tests::cancelled_calls_test

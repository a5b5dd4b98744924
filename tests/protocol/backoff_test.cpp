#include "protocol/backoff.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::backoff_test {

using protocol::backoff;
using namespace std::chrono_literals;

TEST(backoff, doubles_from_the_first_pause_to_the_longest) {
  backoff pause{100ms, 350ms};
  EXPECT_EQ(pause.last(), 0ms);
  EXPECT_EQ(pause.next(), 100ms);
  EXPECT_EQ(pause.next(), 200ms);
  EXPECT_EQ(pause.last(), 200ms);
  EXPECT_EQ(pause.next(), 350ms) << "400 ms would be too long";
  EXPECT_EQ(pause.next(), 350ms);
}

TEST(backoff, starts_again_after_a_success) {
  backoff pause{100ms, 1s};
  pause.next();
  pause.next();
  pause.reset();
  EXPECT_EQ(pause.last(), 0ms);
  EXPECT_EQ(pause.next(), 100ms);
}

TEST(backoff, never_exceeds_the_longest_pause_even_at_first) {
  backoff pause{10s, 1s};
  EXPECT_EQ(pause.next(), 1s);
  EXPECT_EQ(pause.next(), 1s);
}

TEST(backoff, does_not_grow_from_zero) {
  backoff pause{0s, 1s};
  EXPECT_EQ(pause.next(), 0ms);
  EXPECT_EQ(pause.next(), 0ms);
}

} // namespace troupe::tests::backoff_test

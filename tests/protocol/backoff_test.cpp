#include "protocol/backoff.hpp"

#include <gtest/gtest.h>

#include <cstdint>

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

TEST(backoff, tells_the_pause_after_a_number_of_failures) {
  EXPECT_EQ(backoff::after(0, 100ms, 350ms), 0ms);
  EXPECT_EQ(backoff::after(1, 100ms, 350ms), 100ms);
  EXPECT_EQ(backoff::after(2, 100ms, 350ms), 200ms);
  EXPECT_EQ(backoff::after(3, 100ms, 350ms), 350ms);
  EXPECT_EQ(backoff::after(SIZE_MAX, 100ms, 350ms), 350ms);
  EXPECT_EQ(backoff::after(SIZE_MAX, 0ms, 350ms), 0ms);
}

} // namespace troupe::tests::backoff_test

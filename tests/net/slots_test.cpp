#include "net/slots.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::slots_test {

using net::slots;

TEST(slots, are_taken_up_to_a_limit) {
  slots all;
  const auto one = all.try_acquire(2);
  EXPECT_TRUE(one);
  const auto two = all.try_acquire(2);
  EXPECT_TRUE(two);
  EXPECT_FALSE(all.try_acquire(2));
  EXPECT_EQ(all.taken(), 2U);
  EXPECT_TRUE(all.try_acquire(3));
}

TEST(slots, are_given_back_with_the_last_copy_of_a_share) {
  slots all;
  auto one = all.try_acquire(1);
  auto other = one;
  one.reset();
  EXPECT_EQ(all.taken(), 1U);
  other.reset();
  EXPECT_EQ(all.taken(), 0U);
}

TEST(slots, are_shared_by_copies) {
  slots all;
  auto copy = all;
  const auto one = copy.try_acquire(1);
  EXPECT_FALSE(all.try_acquire(1));
}

TEST(slots, may_end_before_their_shares) {
  slots::share last;
  {
    slots all;
    last = all.try_acquire();
  }
  EXPECT_TRUE(last);
}

} // namespace troupe::tests::slots_test

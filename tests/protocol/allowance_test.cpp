// Bytes that many may take of together.

#include "protocol/allowance.hpp"

#include <gtest/gtest.h>

using namespace troupe::protocol;

TEST(allowance, gives_what_is_left_and_no_more) {
  allowance all{10};
  auto first = all.take(6);
  EXPECT_TRUE(first);
  for (std::size_t bytes : {3, 4, 5})
    EXPECT_EQ(all.take(bytes).has_value(), bytes <= 4) << bytes;
  EXPECT_EQ(all.left(), 4u);
}

TEST(allowance, has_a_share_again_when_that_goes_wherever_it_went_meanwhile) {
  allowance all{10};
  auto first = all.take(6);
  auto moved = std::move(first);
  EXPECT_EQ(all.left(), 4u);
  first.reset();
  EXPECT_EQ(all.left(), 4u);
  moved.reset();
  EXPECT_EQ(all.left(), 10u);
}

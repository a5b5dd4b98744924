// A byte budget and its shares.

#include "protocol/byte_budget.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

namespace troupe::tests::byte_budget_test {

using namespace protocol;

TEST(byte_budget, gives_what_is_left_and_no_more) {
  byte_budget all{10};
  auto first = all.try_acquire(6);
  EXPECT_TRUE(first);
  for (std::size_t bytes : {3, 4, 5})
    EXPECT_EQ(all.try_acquire(bytes).has_value(), bytes <= 4) << bytes;
  EXPECT_EQ(all.left(), 4u);
}

TEST(byte_budget, gets_a_share_back_when_that_is_destroyed_wherever_it_was_moved) {
  byte_budget all{10};
  auto first = all.try_acquire(6);
  auto moved = std::move(first);
  EXPECT_EQ(all.left(), 4u);
  first.reset();
  EXPECT_EQ(all.left(), 4u);
  moved.reset();
  EXPECT_EQ(all.left(), 10u);
}

TEST(byte_budget, gives_a_share_that_must_not_be_refused) {
  byte_budget all{10};
  std::optional<byte_budget::share> large{std::in_place, all, 11};
  EXPECT_EQ(all.taken(), 11u);
  EXPECT_EQ(all.left(), 0u);
  EXPECT_TRUE(all.try_acquire(0));
  EXPECT_FALSE(all.try_acquire(1));
  large.reset();
  EXPECT_EQ(all.left(), 10u);
}

} // namespace troupe::tests::byte_budget_test

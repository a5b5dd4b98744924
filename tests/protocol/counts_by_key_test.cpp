#include "protocol/counts_by_key.hpp"

#include <gtest/gtest.h>

#include <string>

namespace troupe::tests::counts_by_key_test {

using protocol::counts_by_key;

TEST(counts_by_key, counts_each_key_for_itself) {
  counts_by_key<std::string> all;
  all.add("a");
  all.add("a");
  all.add("b");
  EXPECT_EQ(all.of("a"), 2U);
  EXPECT_EQ(all.of("b"), 1U);
  EXPECT_EQ(all.of("c"), 0U);
}

TEST(counts_by_key, forgets_a_key_whose_count_is_zero) {
  counts_by_key<std::string> all;
  all.add("a");
  EXPECT_TRUE(all.remove("a"));
  EXPECT_TRUE(all.all().empty());
  EXPECT_FALSE(all.remove("a")) << "never below zero";
}

TEST(counts_by_key, forgets_a_key_with_any_count) {
  counts_by_key<std::string> all;
  all.add("a");
  all.add("a");
  EXPECT_TRUE(all.forget("a"));
  EXPECT_FALSE(all.forget("a"));
  EXPECT_EQ(all.of("a"), 0U);
}

} // namespace troupe::tests::counts_by_key_test

#include "protocol/two_generations.hpp"

#include <gtest/gtest.h>

#include <string>

namespace troupe::tests::two_generations_test {

using namespace protocol;

namespace {

struct length {
  std::size_t operator()(const std::string& one) const { return one.size(); }
};
using weighed = two_generations<int, std::string, std::hash<int>, length>;

void set(weighed& in, int key, const std::string& text) {
  in.change(key, [&](auto& value) { value = text; });
}

} // namespace

TEST(two_generations, hold_twice_as_many_values_and_drop_the_older_half) {
  two_generations<int, int> all{2};
  for (int key = 1; key <= 4; ++key)
    all.use(key) = 10 * key;
  EXPECT_EQ(all.size(), 4);
  all.use(5) = 50;
  EXPECT_EQ(all.size(), 3);
  EXPECT_EQ(all.find(2), nullptr);
  ASSERT_NE(all.find(3), nullptr);
  EXPECT_EQ(*all.find(3), 30);
}

TEST(two_generations, keep_what_is_used) {
  two_generations<int, int> all{2};
  for (int key = 1; key <= 9; ++key) {
    all.use(key) = key;
    EXPECT_EQ(all.use(1), 1) << key;
  }
}

TEST(two_generations, drop_what_is_only_looked_at) {
  two_generations<int, int> all{1};
  all.use(1);
  all.use(2);
  EXPECT_NE(all.find(1), nullptr);
  all.use(3);
  EXPECT_EQ(all.find(1), nullptr);
}

TEST(two_generations, erase_old_and_young_values) {
  weighed all{1};
  set(all, 1, "a");
  set(all, 2, "bc");
  all.erase(1);
  EXPECT_EQ(all.weight(), 2);
  all.erase(2);
  all.erase(3);
  EXPECT_EQ(all.size(), 0);
  EXPECT_EQ(all.weight(), 0);
}

TEST(two_generations, drop_the_older_half_of_a_weight) {
  weighed all{10, 3};
  set(all, 1, "aaa");
  set(all, 2, "b");
  EXPECT_EQ(all.weight(), 4);
  set(all, 3, "ccc");
  EXPECT_EQ(all.size(), 3);
  set(all, 4, "d");
  EXPECT_EQ(all.size(), 2);
  EXPECT_EQ(all.weight(), 4);
  EXPECT_EQ(all.find(2), nullptr);
}

TEST(two_generations, weigh_what_has_changed_and_what_has_become_young_again) {
  weighed all{1, 10};
  set(all, 1, "aaaa");
  set(all, 1, "aa");
  EXPECT_EQ(all.weight(), 2);
  set(all, 2, "bbb");
  all.use(1);
  EXPECT_EQ(all.weight(), 5);
  set(all, 3, "c");
  EXPECT_EQ(all.weight(), 3);
}

} // namespace troupe::tests::two_generations_test

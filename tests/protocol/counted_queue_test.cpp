#include "protocol/counted_queue.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace troupe::tests::counted_queue_test {

using namespace protocol;

using text_queue = counted_queue<std::deque<std::string>, &std::string::size>;

TEST(counted_queue, fits_what_is_within_a_limit_of_bytes) {
  text_queue all;
  all.push("four");
  for (std::size_t bytes : {5, 6, 7})
    EXPECT_EQ(all.fits(bytes, 10), bytes <= 6) << bytes;
}

TEST(counted_queue, fits_nothing_above_a_limit) {
  text_queue all;
  all.push("four");
  for (std::size_t limit : {3, 4, 5})
    EXPECT_EQ(all.fits(0, limit), limit >= 4) << limit;
}

TEST(counted_queue, returns_items_in_order_and_those_ahead_first) {
  text_queue all;
  all.push("b");
  all.push("c");
  all.push("a", true);
  EXPECT_EQ(all.pop(), "a");
  EXPECT_EQ(all.extract_all(), (std::deque<std::string>{"b", "c"}));
  EXPECT_TRUE(all.is_empty());
}

TEST(counted_queue, counts_an_item_until_it_is_removed) {
  text_queue all;
  for (auto* one : {"a", "bb", "ccc", "dddd"})
    all.push(one);
  EXPECT_EQ(all.bytes(), 10U);
  EXPECT_TRUE(all.remove_first([](auto& one) { return one.size() > 1; }));
  EXPECT_EQ(all.bytes(), 8U);
  EXPECT_FALSE(all.remove_first([](auto& one) { return one == "bb"; }));
  EXPECT_EQ(all.pop(), "a");
  EXPECT_EQ(all.bytes(), 7U);
  EXPECT_EQ(all.extract_all().size(), 2U);
  EXPECT_EQ(all.bytes(), 0U);
}

TEST(counted_queue, counts_into_a_total_until_its_end) {
  const auto total = std::make_shared<byte_total>(5);
  counted_queue<std::vector<std::string>, &std::string::size> one{total};
  one.push("four");
  {
    text_queue other{total};
    other.push("a");
    EXPECT_FALSE(total->is_over());
    other.push("b");
    EXPECT_TRUE(total->is_over());
  }
  EXPECT_EQ(total->bytes(), 4U);
}

} // namespace troupe::tests::counted_queue_test

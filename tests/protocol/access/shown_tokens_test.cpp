// Tokens that callers have shown, for their exchange.

#include "protocol/access/shown_tokens.hpp"

#include <gtest/gtest.h>

using namespace troupe::protocol;
using namespace std::chrono_literals;

namespace {

const time_point at{1h};

} // namespace

TEST(shown_tokens, are_there_while_they_are_good) {
  shown_tokens all;
  all.put("ada", "t1", at + 10s);
  EXPECT_EQ(all.find("ada", at), "t1");
  EXPECT_EQ(all.find("ada", at + 10s), "");
  EXPECT_EQ(all.find("eve", at), "");
}

TEST(shown_tokens, are_the_last_that_each_has_shown) {
  shown_tokens all;
  all.put("ada", "t1", at + 10s);
  all.put("ada", "t2", at + 20s);
  all.put("eve", "t3", at + 20s);
  EXPECT_EQ(all.find("ada", at + 15s), "t2");
  EXPECT_EQ(all.find("eve", at), "t3");
  EXPECT_EQ(all.size(), 2U);
}

TEST(shown_tokens, are_not_kept_without_end) {
  shown_tokens all{2};
  for (auto* owner : {"a", "b", "c"})
    all.put(owner, "t", at + 1s);
  EXPECT_EQ(all.find("a", at), "t");
  all.put("a", "t", at + 1s);
  for (auto* owner : {"d", "e"})
    all.put(owner, "t", at + 1s);
  EXPECT_EQ(all.find("b", at), "");
  EXPECT_EQ(all.find("a", at), "t");
  EXPECT_LE(all.size(), 4U);
}

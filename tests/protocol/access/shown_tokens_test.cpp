// Tokens that callers have shown, for their exchange.

#include "protocol/access/principal.hpp"
#include "protocol/access/shown_tokens.hpp"

#include <gtest/gtest.h>

using namespace troupe::protocol;
using namespace std::chrono_literals;

namespace {

const time_point at{1h};

} // namespace

TEST(shown_tokens, are_there_while_they_are_good) {
  shown_tokens all;
  all.put("ada", "t1", "", at + 10s);
  EXPECT_EQ(all.find("ada", at).text, "t1");
  EXPECT_EQ(all.find("ada", at + 10s).text, "");
  EXPECT_EQ(all.find("eve", at).text, "");
}

TEST(shown_tokens, are_the_last_that_each_has_shown) {
  shown_tokens all;
  all.put("ada", "t1", "", at + 10s);
  all.put("ada", "t2", "", at + 20s);
  all.put("eve", "t3", "", at + 20s);
  EXPECT_EQ(all.find("ada", at + 15s).text, "t2");
  EXPECT_EQ(all.find("eve", at).text, "t3");
  EXPECT_EQ(all.size(), 2U);
}

TEST(shown_tokens, are_not_kept_without_end) {
  shown_tokens all{2};
  for (auto* owner : {"a", "b", "c"})
    all.put(owner, "t", "", at + 1s);
  EXPECT_EQ(all.find("a", at).text, "t");
  all.put("a", "t", "", at + 1s);
  for (auto* owner : {"d", "e"})
    all.put(owner, "t", "", at + 1s);
  EXPECT_EQ(all.find("b", at).text, "");
  EXPECT_EQ(all.find("a", at).text, "t");
  EXPECT_LE(all.size(), 4U);
}

TEST(shown_tokens, are_kept_with_what_they_allow) {
  shown_tokens all;
  all.put("ada", "t1", "read write", at + 20s);
  EXPECT_EQ(all.find("ada", at).scopes, "read write");
  EXPECT_EQ(all.find("ada", at).until, at + 20s);
  all.put("ada", "t2", "read", at + 10s);
  EXPECT_EQ(all.find("ada", at).scopes, "read");
  EXPECT_EQ(all.find("ada", at).until, at + 10s);
  EXPECT_EQ(all.find("ada", at + 10s).scopes, "");
}

TEST(shown_tokens, allow_the_same_in_whatever_order_they_say_so) {
  auto told = [](std::vector<std::string> scopes) {
    return scopes_told({.issuer = "i", .subject = "s", .scopes = std::move(scopes)});
  };
  EXPECT_EQ(told({"b", "a"}), told({"a", "b", "a"}));
  EXPECT_NE(told({"a", "b"}), told({"a"}));
  EXPECT_NE(told({"a", "b"}), told({"a1:b"}));
  EXPECT_EQ(told({}), "");
}

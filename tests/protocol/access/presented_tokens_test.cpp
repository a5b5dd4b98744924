// The tokens of callers, stored for token exchange.

#include "protocol/access/presented_tokens.hpp"
#include "protocol/access/principal.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::presented_tokens_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

const time_point at{1h};

} // namespace

TEST(presented_tokens, are_there_while_they_are_good) {
  presented_tokens all;
  all.put("ada", "t1", "", at + 10s);
  EXPECT_EQ(all.last("ada", at).text, "t1");
  EXPECT_EQ(all.last("ada", at + 10s).text, "");
  EXPECT_EQ(all.last("eve", at).text, "");
}

TEST(presented_tokens, are_the_last_that_each_has_shown) {
  presented_tokens all;
  all.put("ada", "t1", "", at + 10s);
  all.put("ada", "t2", "", at + 20s);
  all.put("eve", "t3", "", at + 20s);
  EXPECT_EQ(all.last("ada", at + 15s).text, "t2");
  EXPECT_EQ(all.last("eve", at).text, "t3");
  EXPECT_EQ(all.size(), 2U);
}

TEST(presented_tokens, are_not_kept_without_end) {
  presented_tokens all{2};
  for (auto* owner : {"a", "b", "c"})
    all.put(owner, "t", "", at + 1s);
  EXPECT_EQ(all.last("a", at).text, "t");
  all.put("a", "t", "", at + 1s);
  for (auto* owner : {"d", "e"})
    all.put(owner, "t", "", at + 1s);
  EXPECT_EQ(all.last("b", at).text, "");
  EXPECT_EQ(all.last("a", at).text, "t");
  EXPECT_LE(all.size(), 4U);
}

TEST(presented_tokens, are_kept_with_what_they_allow) {
  presented_tokens all;
  all.put("ada", "t1", "read write", at + 20s);
  EXPECT_EQ(all.last("ada", at).scopes, "read write");
  EXPECT_EQ(all.last("ada", at).until, at + 20s);
  all.put("ada", "t2", "read", at + 10s);
  EXPECT_EQ(all.last("ada", at).scopes, "read");
  EXPECT_EQ(all.last("ada", at).until, at + 10s);
  EXPECT_EQ(all.last("ada", at + 10s).scopes, "read write") << "the last one that is good";
  EXPECT_EQ(all.last("ada", at + 20s).scopes, "");
}

TEST(presented_tokens, are_found_by_what_they_allow) {
  presented_tokens all;
  all.put("ada", "w1", "read write", at + 20s);
  all.put("ada", "r", "read", at + 20s);
  EXPECT_EQ(all.find("ada", "read write", at).text, "w1");
  EXPECT_EQ(all.find("ada", "read", at).text, "r");
  EXPECT_EQ(all.find("ada", "write", at).text, "");
  EXPECT_EQ(all.find("eve", "read", at).text, "");
  EXPECT_EQ(all.last("ada", at).text, "r");
  all.put("ada", "w2", "read write", at + 10s);
  EXPECT_EQ(all.find("ada", "read write", at).text, "w2");
  EXPECT_EQ(all.last("ada", at).text, "w2");
  EXPECT_EQ(all.find("ada", "read write", at + 10s).text, "");
  EXPECT_EQ(all.last("ada", at + 10s).text, "r");
  EXPECT_EQ(all.size(), 1U);
}

TEST(presented_tokens, are_a_few_of_each_caller) {
  presented_tokens all;
  for (std::size_t i = 0; i <= presented_tokens::most_each; ++i)
    all.put("ada", "t", std::to_string(i), at + 1s);
  EXPECT_EQ(all.find("ada", "0", at).text, "");
  for (std::size_t i = 1; i <= presented_tokens::most_each; ++i)
    EXPECT_EQ(all.find("ada", std::to_string(i), at).text, "t");
  EXPECT_EQ(all.bytes(), 2 * presented_tokens::most_each);
}

TEST(presented_tokens, are_so_many_bytes_only) {
  presented_tokens all{1000, 100};
  for (auto i = 0; i < 100; ++i) {
    all.put(std::to_string(i), std::string(10, 't'), "", at + 1s);
    EXPECT_LE(all.bytes(), 100U + 10);
    EXPECT_EQ(all.last(std::to_string(i), at).text.size(), 10U);
    all.put("0", std::string(10, 't'), "", at + 1s);
  }
  EXPECT_EQ(all.last("0", at).text.size(), 10U) << "those that were shown lately stay";
  EXPECT_EQ(all.last("50", at).text, "");
}

TEST(presented_tokens, allow_the_same_in_whatever_order_they_say_so) {
  auto told = [](std::vector<std::string> scopes) {
    return scopes_key({.issuer = "i", .subject = "s", .scopes = std::move(scopes)});
  };
  EXPECT_EQ(told({"b", "a"}), told({"a", "b", "a"}));
  EXPECT_NE(told({"a", "b"}), told({"a"}));
  EXPECT_NE(told({"a", "b"}), told({"a1:b"}));
  EXPECT_EQ(told({}), "");
}

} // namespace troupe::tests::presented_tokens_test

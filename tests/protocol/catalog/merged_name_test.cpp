#include "protocol/catalog/merged_names.hpp"

#include "protocol/text/json.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::merged_name_test {

using namespace protocol;

TEST(merged_name, begins_with_the_prefix) {
  EXPECT_EQ(merged_name("files", "files", "read"), "files__read");
  EXPECT_EQ(merged_name("files", "", "read"), "read");
  EXPECT_EQ(merged_name("files", "f", "a__b"), "f__a__b");
}

TEST(merged_name, has_a_prefix_of_plain_characters_only) {
  EXPECT_EQ(clean_prefix("Az0_-"), "Az0_-");
  EXPECT_EQ(clean_prefix("my.server/a b"), "my_server_a_b");
  EXPECT_EQ(clean_prefix(""), "");
}

TEST(merged_name, is_cut_when_it_is_longer_than_64) {
  for (auto size : {59U, 60U, 61U, 200U}) {
    std::string original(size, 'x');
    auto name = merged_name("s", "ab", original);
    EXPECT_EQ(name.size(), std::min<std::size_t>(size + 4, 64)) << size;
    EXPECT_EQ(may_be_cut(name), size > 60) << name;
    EXPECT_TRUE(name.starts_with(name_stem("ab")));
  }
  EXPECT_EQ(merged_name("s", "", std::string(64, 'x')), std::string(64, 'x'));
  EXPECT_TRUE(may_be_cut(merged_name("s", "", std::string(65, 'x'))));
}

TEST(merged_name, stays_the_same_in_every_release) {
  EXPECT_EQ(merged_name("s", "ab", std::string(61, 'x')), "ab__" + std::string(51, 'x') + "_d586cca2");
}

TEST(merged_name, differs_when_names_or_servers_do) {
  std::string alike(70, 'x');
  EXPECT_NE(merged_name("s", "p", alike + "a"), merged_name("s", "p", alike + "b"));
  EXPECT_NE(merged_name("s", "p", alike), merged_name("t", "p", alike));
}

TEST(merged_name, is_never_cut_inside_a_character) {
  std::string accents;
  for (int i = 0; i < 40; ++i)
    accents += "é";
  for (auto prefix : {"a", "ab"}) {
    auto name = merged_name("s", prefix, accents);
    EXPECT_EQ(name.size(), 64U);
    EXPECT_FALSE(json_error('"' + name + '"')) << name;
  }
}

TEST(merged_name, is_cut_even_in_its_prefix) {
  std::string prefix(60, 'p');
  auto name = merged_name("s", prefix, "a_tool");
  EXPECT_EQ(name.size(), 64U);
  EXPECT_TRUE(may_be_cut(name));
  EXPECT_TRUE(name.starts_with(name_stem(prefix)));
  EXPECT_EQ(name_stem(""), "");
}

TEST(merged_name, looks_cut_only_with_a_hash) {
  std::string start(55, 'x');
  EXPECT_TRUE(may_be_cut(start + "_0123abcd"));
  EXPECT_FALSE(may_be_cut(start + "_0123abcD"));
  EXPECT_FALSE(may_be_cut(start + "x0123abcd"));
  EXPECT_FALSE(may_be_cut(start + "_0123abc"));
  EXPECT_FALSE(may_be_cut(start + "_0123abcde"));
  EXPECT_FALSE(may_be_cut(""));
}

} // namespace troupe::tests::merged_name_test

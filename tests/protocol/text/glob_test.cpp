#include "protocol/text/glob.hpp"

#include <gtest/gtest.h>

#include <string>

namespace troupe::tests::glob_test {

using namespace protocol;

TEST(a_glob, without_wildcards_fits_only_itself) {
  EXPECT_TRUE(fits_glob("read", "read"));
  EXPECT_TRUE(fits_glob("", ""));
  for (auto other : {"", "rea", "reads", "Read", "xread"})
    EXPECT_FALSE(fits_glob("read", other)) << other;
}

TEST(a_glob, has_a_star_for_any_characters) {
  for (auto text : {"", "a", "a.b/c", "\n"})
    EXPECT_TRUE(fits_glob("*", text)) << text;
  EXPECT_TRUE(fits_glob("get_*", "get_"));
  EXPECT_TRUE(fits_glob("get_*", "get_all"));
  EXPECT_FALSE(fits_glob("get_*", "forget_all"));
  EXPECT_TRUE(fits_glob("*_file", "read_file"));
  EXPECT_FALSE(fits_glob("*_file", "read_files"));
  EXPECT_TRUE(fits_glob("a*b*c", "a1b2b3c"));
  EXPECT_FALSE(fits_glob("a*b*c", "a1c2b"));
  EXPECT_TRUE(fits_glob("**a**", "bab"));
}

TEST(a_glob, has_a_question_mark_for_exactly_one_character) {
  EXPECT_TRUE(fits_glob("a?c", "abc"));
  EXPECT_FALSE(fits_glob("a?c", "ac"));
  EXPECT_FALSE(fits_glob("a?c", "abbc"));
  EXPECT_TRUE(fits_glob("?*", "x"));
  EXPECT_FALSE(fits_glob("?*", ""));
  EXPECT_TRUE(fits_glob("*?", "ab"));
  EXPECT_TRUE(fits_glob("*?b", "aab"));
}

TEST(a_glob, counts_characters_and_not_bytes) {
  EXPECT_TRUE(fits_glob("?", "\u20ac"));
  EXPECT_FALSE(fits_glob("??", "\u20ac"));
  EXPECT_FALSE(fits_glob("*??", "\u20ac"));
  EXPECT_TRUE(fits_glob("*??", "\u20ac\u00e9"));
}

TEST(a_glob, has_no_other_special_characters) {
  EXPECT_TRUE(fits_glob("a[b]\\.c", "a[b]\\.c"));
  EXPECT_FALSE(fits_glob("[ab]", "a"));
  EXPECT_FALSE(fits_glob("a.c", "abc"));
}

TEST(a_glob, of_many_stars_is_decided_in_time) {
  std::string pattern;
  for (int i = 0; i < 500; ++i)
    pattern += "*a";
  EXPECT_FALSE(fits_glob(pattern + "b", std::string(20'000, 'a')));
  EXPECT_TRUE(fits_glob(pattern + "*", std::string(20'000, 'a')));
}

} // namespace troupe::tests::glob_test

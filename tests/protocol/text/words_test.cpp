#include "protocol/text/words.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::words_test {

using namespace protocol;

TEST(same_word, ignores_the_case_of_ASCII_letters_only) {
  EXPECT_TRUE(same_word("Mcp-Session-Id", "MCP-SESSION-ID"));
  EXPECT_TRUE(same_word("", ""));
  EXPECT_FALSE(same_word("a", "ab"));
  EXPECT_FALSE(same_word("ab", "a"));
  EXPECT_FALSE(same_word("[", "{"));
  EXPECT_FALSE(same_word("@", "`"));
  EXPECT_FALSE(same_word("\xc3\x84", "\xc3\xa4"));
}

TEST(without_blanks, takes_spaces_and_tabs_off_both_ends) {
  EXPECT_EQ(without_blanks(" \ta b\t "), "a b");
  EXPECT_EQ(without_blanks(" \t "), "");
  EXPECT_EQ(without_blanks(""), "");
  EXPECT_EQ(without_blanks("\na\n"), "\na\n");
}

} // namespace troupe::tests::words_test

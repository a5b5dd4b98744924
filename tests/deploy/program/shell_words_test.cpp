#include "deploy/program/shell_words.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::shell_words_test {

using namespace deploy;

using words = std::vector<std::string>;

TEST(shell_words, are_parted_by_white_space) {
  EXPECT_EQ(shell_words("  npx -y\tserver\n"), (words{"npx", "-y", "server"}));
  EXPECT_EQ(shell_words(" "), words{});
}

TEST(shell_words, keep_what_is_quoted_together) {
  EXPECT_EQ(shell_words(R"(a 'b  c' "d  e" f\ g)"), (words{"a", "b  c", "d  e", "f g"}));
  EXPECT_EQ(shell_words(R"(--name='x y'"z")"), (words{"--name=x yz"}));
  EXPECT_EQ(shell_words(R"(a '' "")"), (words{"a", "", ""}));
}

TEST(shell_words, take_a_backslash_as_each_kind_of_quote_does) {
  EXPECT_EQ(shell_words(R"('a\b' "a\b\"\\\$" a\b\')"), (words{R"(a\b)", R"(a\b"\$)", "ab'"}));
  EXPECT_EQ(shell_words("a\\\nb \"c\\\nd\""), (words{"ab", "cd"}));
}

TEST(shell_words, leave_the_rest_of_the_shell_alone) {
  EXPECT_EQ(shell_words("$HOME *.txt | x; #y"), (words{"$HOME", "*.txt", "|", "x;", "#y"}));
}

TEST(shell_words, are_none_when_a_quote_is_left_open) {
  for (const auto* line : {"a 'b", "a \"b", "a\\", "\"a\\\""})
    EXPECT_EQ(shell_words(line), std::nullopt) << line;
}

} // namespace troupe::tests::shell_words_test

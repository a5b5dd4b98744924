#include "deploy/operator/tables.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::table_test {

using namespace deploy;

namespace {

/// A table with one row: a text, a number, a text.
std::string shown(const std::string& first, const std::string& last, std::size_t width) {
  table result{{{"NAME"}, {"N", true}, {"WHY"}}};
  result.add({first, "12345", last});
  return result.text(width);
}

} // namespace

TEST(table, has_its_columns_below_each_other) {
  table two{{{"NAME"}, {"CALLS", true}, {"WHY"}}};
  two.add({"files", "3", "ended"});
  two.add({"a-long-name", "1000000", ""});
  EXPECT_EQ(two.text(0), "NAME           CALLS  WHY\n"
                         "files              3  ended\n"
                         "a-long-name  1000000  -\n");
}

TEST(table, takes_from_the_longest_text_what_does_not_fit) {
  EXPECT_EQ(shown("0123456789", "abc", 22), "NAME            N  WHY\n0123456789  12345  abc\n");
  EXPECT_EQ(shown("0123456789", "abc", 21), "NAME           N  WHY\n01234567…  12345  abc\n");
  EXPECT_EQ(shown("0123456789", "abcdefgh", 25), "NAME          N  WHY\n0123456…  12345  abcdefgh\n");
}

TEST(table, is_cut_at_the_edge_when_nothing_can_be_shorter) {
  EXPECT_EQ(shown("0123456789", "abcdefgh", 12), "NAME       …\n01234…  123…\n");
}

TEST(table, lets_no_cell_begin_a_line_or_speak_to_the_terminal) {
  EXPECT_EQ(shown("a\x1b]0;x\x07\nb", "\xff\u009b", 0), "NAME                      N  WHY\n"
                                                        "a\\u001b]0;x\\u0007\\nb  12345  \\ufffd\\u009b\n");
}

} // namespace troupe::tests::table_test

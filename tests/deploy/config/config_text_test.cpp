#include "deploy/config/file_text.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::config_text_test {

using namespace deploy;

namespace {

std::string blanked(std::string text) {
  blank_comments(text);
  return text;
}

} // namespace

TEST(config_text, loses_its_comments_and_keeps_its_places) {
  EXPECT_EQ(blanked("{// a\n1/* b\nc */}"), "{    \n1    \n    }");
  EXPECT_EQ(blanked("1 //"), "1   ");
  EXPECT_EQ(blanked("/**/1/***/"), "    1     ");
  EXPECT_EQ(blanked("\xef\xbb\xbf{}"), "   {}");
}

TEST(config_text, keeps_what_stands_in_strings) {
  const std::string text = R"({"a//b": "/* c */", "d\"//": "e\\", "f": ",]"})";
  EXPECT_EQ(blanked(text), text);
  EXPECT_EQ(blanked(R"("\\"// x)"), R"("\\"    )");
}

TEST(config_text, loses_a_comma_before_a_bracket) {
  EXPECT_EQ(blanked("[1,]"), "[1 ]");
  EXPECT_EQ(blanked("{\"a\":1 , // x\n }"), "{\"a\":1       \n }");
  EXPECT_EQ(blanked("[[1,],[\"a\",],]"), "[[1 ],[\"a\" ] ]");
}

TEST(config_text, keeps_a_comma_that_ends_no_value) {
  for (const auto* text : {"[,]", "{,}", "[1,,]", ",]", "{\"a\":,}"})
    EXPECT_EQ(blanked(text), text);
}

TEST(config_text, leaves_open_comments_and_strings_to_the_parser) {
  for (const auto* text : {"{} /* x", "\"a", "\"a\\", "/", "/*", "/*/"})
    EXPECT_EQ(blanked(text), text);
}

TEST(config_text, is_walked_once_however_many_comments_are_open) {
  std::string text;
  while (text.size() < 4 * 1024 * 1024)
    text += "/* ";
  EXPECT_TRUE(blanked(text) == text);
}

TEST(config_text, is_known_as_toml_by_its_first_line_whatever_stands_in_quotes) {
  for (const auto* text :
       {"[projects.\"/home/me/x\"]\ntrust_level = \"trusted\"", "[projects.'/home/me/[x]'] # mine", "[[a.b]]\n",
        "[ a ]", "model = \"x\"", "projects.\"/home/me/x\".trust_level = 1", "\"a b\" = 1", "# x\n\n[mcp_servers.a]"})
    EXPECT_EQ(format_of(text), text_format::toml) << text;
  for (const auto* text :
       {"[\"a\", \"b\"]", "[\"a\"]", "[{\"a\": 1}]", "[\n1]", "[]", "{\"a=b\": \"c=d\"}", "{\"[a]\": 1}", "[", ""})
    EXPECT_EQ(format_of(text), text_format::json) << text;
  EXPECT_EQ(format_of("name: \"a = b\"\n"), text_format::yaml);
}

TEST(line_index, counts_from_one) {
  const line_index lines{"ab\n\nc\n"};
  EXPECT_EQ(lines.line_of(0), 1u);
  EXPECT_EQ(lines.line_of(2), 1u);
  EXPECT_EQ(lines.line_of(3), 2u);
  EXPECT_EQ(lines.line_of(4), 3u);
  EXPECT_EQ(lines.line_of(6), 4u);
}

} // namespace troupe::tests::config_text_test

#include "deploy/log/log_line.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace troupe::tests::log_line_test {

using namespace deploy;

namespace {

log_record record(std::string text, std::string key, std::string value) {
  return {log_level::info, std::move(text), {{std::move(key), std::move(value)}}};
}

} // namespace

TEST(log_line, is_the_sentence_and_its_facts) {
  const auto listening = record("listening", "url", "http://127.0.0.1:8080/mcp");
  EXPECT_EQ(text_line(listening), "listening url=http://127.0.0.1:8080/mcp");
  EXPECT_EQ(json_members(listening), R"("msg":"listening","url":"http://127.0.0.1:8080/mcp")");
}

TEST(log_line, quotes_a_value_that_could_be_taken_for_several) {
  EXPECT_EQ(text_line(record("said", "line", "a b=c")), R"(said line="a b=c")");
  EXPECT_EQ(text_line(record("said", "line", R"(a"b\c)")), R"(said line="a\"b\\c")");
  EXPECT_EQ(text_line(record("said", "line", "")), R"(said line="")");
}

TEST(log_line, lets_no_field_start_a_line_or_speak_to_the_terminal) {
  const auto forged = record("said", "line", "x\r\n2026 error \x1b[31m\x7f");
  EXPECT_EQ(text_line(forged), R"(said line="x\u000d\n2026 error \u001b[31m\u007f")");
  EXPECT_EQ(json_members(forged), R"("msg":"said","line":"x\u000d\n2026 error \u001b[31m\u007f")");
  EXPECT_EQ(escaped("\u0085\u009b\u2028\u2029\u202e"), R"(\u0085\u009b\u2028\u2029\u202e)");
  EXPECT_EQ(escaped("\u061c\u200e\u200f\u2066"), R"(\u061c\u200e\u200f\u2066)");
  EXPECT_EQ(escaped(std::string(1, '\0')), R"(\u0000)");
}

TEST(log_line, keeps_letters_of_every_script) { EXPECT_EQ(escaped("é € 😀"), "é € 😀"); }

TEST(log_line, replaces_what_is_no_utf8) {
  EXPECT_EQ(escaped("a\xff"
                    "b"),
            R"(a\ufffdb)");
  EXPECT_EQ(escaped("\xe2\x82"), R"(\ufffd\ufffd)");           // truncated
  EXPECT_EQ(escaped("\xc0\x8a"), R"(\ufffd\ufffd)");           // an overlong line feed
  EXPECT_EQ(escaped("\xe0\x80\x8a"), R"(\ufffd\ufffd\ufffd)"); // another overlong line feed
  EXPECT_EQ(escaped("\xed\xa0\x80"), R"(\ufffd\ufffd\ufffd)"); // half of a surrogate pair
  EXPECT_EQ(escaped("\xf4\x90\x80\x80").size(), 4 * 6u);       // above the last code point
}

} // namespace troupe::tests::log_line_test

#include "protocol/message/mcp_headers.hpp"
#include "protocol/text/base_encodings.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::tests::header_value_test {

using namespace protocol;

namespace {

std::string marked(const std::string& inner) { return "=?base64?" + inner + "?="; }

} // namespace

// 2026-07-28, transports, "Value Encoding"
TEST(header_value, means_the_text_between_its_marks) {
  EXPECT_EQ(decoded_header("=?base64?Z2V0X3dlYXRoZXI=?="), "get_weather");
  EXPECT_EQ(decoded_header("=?base64?w6Q=?="), "\xc3\xa4");
  EXPECT_EQ(decoded_header("=?base64?\?="), "");
  EXPECT_EQ(decoded_header(marked(base64("a\nb"))), "a\nb");
  EXPECT_EQ(decoded_header(marked(base64(marked("Zg==")))), marked("Zg=="));
}

TEST(header_value, means_itself_unless_both_marks_are_exact) {
  for (std::string value :
       {"", "get_weather", "a b", "=?BASE64?Zg==?=", "=?Base64?Zg==?=", "=?base64?Zg==", "=?base64?Zg==?", "Zg==?=",
        "=?base64?=", "?base64?Zg==?=", " =?base64?Zg==?=", "=?base64?Zg==?= ", "=?utf-8?Zg==?=", "=?base64:Zg==?="})
    EXPECT_EQ(decoded_header(value), value);
}

TEST(header_value, means_nothing_when_it_is_marked_but_no_base64_of_utf_8) {
  for (auto inner : {"@@@", "Zg", "Zg=", "Zh==", "Zm9v ", "Zm_v", "Zg==?=", "=", "====", "/w==", "7aCA", "wIA="})
    EXPECT_EQ(decoded_header(marked(inner)), std::nullopt) << inner;
}

TEST(header_value, is_encoded_where_a_field_could_not_carry_the_text) {
  for (auto& [text, value] :
       std::vector<std::pair<std::string, std::string>>{{"get_weather", "get_weather"},
                                                        {"", ""},
                                                        {"a b", "a b"},
                                                        {"=?BASE64?Zg==?=", "=?BASE64?Zg==?="},
                                                        {"\xc3\xa4", "=?base64?w6Q=?="},
                                                        {" a", "=?base64?IGE=?="},
                                                        {"a\t", "=?base64?YQk=?="},
                                                        {"a\nb", "=?base64?YQpi?="},
                                                        {"\x7f", "=?base64?fw==?="},
                                                        {"=?base64?\?=", "=?base64?PT9iYXNlNjQ/Pz0=?="}}) {
    EXPECT_EQ(encoded_header(text), value) << text;
    EXPECT_EQ(decoded_header(value), text) << value;
  }
}

} // namespace troupe::tests::header_value_test

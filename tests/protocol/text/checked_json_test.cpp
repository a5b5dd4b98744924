#include "protocol/text/checked_json.hpp"

#include "protocol/text/json.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::tests::checked_json_test {

using namespace protocol;
using namespace std::string_view_literals;

namespace {

bool is_valid(std::string_view text) {
  boost::json::parse_options options;
  options.max_depth = max_json_depth;
  boost::json::error_code error;
  boost::json::parse({text.data(), text.size()}, error, {}, options);
  return !error;
}

/// Valid texts with every kind of token.
const std::vector<std::string> samples{
    R"({"jsonrpc":"2.0","id":-12,"params":{"a":[true,false,null,{}],"b":[],"c":1.25e-3}})",
    " [ 0 , -0.5 , 1E+10 , \"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\" , { \"k\" : [ [ ] ] } ]\r\n\t",
    "{\"ä€😀\":\"\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"}",
    "\"" + std::string(150, 'x') + "\\n" + std::string(70, 'y') + "\"",
    "true",
    "-7"};

/// The text with one or two bytes changed, inserted or removed.
std::string spoilt(std::string text, std::mt19937& dice) {
  constexpr std::string_view bytes = "{}[]\",:\\ \n0123456789eE+-.ntfuld/\x01\x7f\x80\xbf\xc0\xc2\xe0\xed\xf0\xf4\xff";
  for (auto changes = 1 + dice() % 2; changes > 0; --changes) {
    auto at = dice() % text.size();
    auto byte = bytes[dice() % bytes.size()];
    auto how = dice() % 3;
    if (how == 0)
      text[at] = byte;
    else if (how == 1)
      text.insert(at, 1, byte);
    else if (text.size() > 1)
      text.erase(at, 1);
  }
  return text;
}

/// The members found in `text`; "?" when it needs full parsing.
std::vector<std::string> found_in(std::string_view text) {
  wanted_member inner[] = {{"x"}, {"y"}};
  wanted_member wanted[] = {{"a"}, {"b", inner}};
  if (!find_checked(text, wanted))
    return {"?"};
  std::vector<std::string> result;
  for (auto& one : {wanted[0], wanted[1], inner[0], inner[1]})
    result.emplace_back(one.value.data() ? one.value : "-");
  return result;
}

using parts = std::vector<std::string>;
const parts unsure{"?"};

} // namespace

// -- surely_valid ----------------------------------------------------------------

TEST(surely_valid, is_true_of_texts_with_every_kind_of_token) {
  for (auto& text : samples)
    EXPECT_TRUE(surely_valid(text)) << text;
}

TEST(surely_valid, is_never_true_of_what_the_parser_refuses_whatever_became_of_the_text) {
  std::mt19937 dice{7};
  for (int i = 0; i < 60'000; ++i) {
    auto text = spoilt(samples[dice() % samples.size()], dice);
    EXPECT_TRUE(!surely_valid(text) || is_valid(text)) << text;
  }
}

TEST(surely_valid, is_not_true_of_a_part_of_a_text) {
  for (auto& text : samples)
    for (std::size_t size = 0; size < text.size(); ++size) {
      std::string part{std::string_view{text}.substr(0, size)};
      EXPECT_TRUE(!surely_valid(part) || is_valid(part)) << part;
    }
}

TEST(surely_valid, sees_what_may_not_stand_in_a_string_wherever_it_stands) {
  for (std::size_t before : {0u, 1u, 15u, 16u, 17u, 63u, 64u, 65u, 79u, 80u, 81u, 143u, 144u, 145u})
    for (std::size_t after : {0u, 1u, 15u, 16u, 17u, 63u, 64u, 65u, 80u})
      for (auto strange : {"\x1f"sv, "\0"sv, "\n"sv, "\x80"sv, "\xff"sv, "\\x"sv, "\""sv, "\xc3"sv}) {
        auto begin = "\"" + std::string(before, 'a');
        auto end = std::string(after, 'a') + "\"";
        EXPECT_TRUE(surely_valid(begin + end)) << before << " " << after;
        EXPECT_TRUE(surely_valid(begin + "\x7f\\\"é" + end)) << before << " " << after;
        EXPECT_FALSE(surely_valid(begin + std::string{strange} + end)) << before << " " << after;
      }
}

TEST(surely_valid, allows_a_depth_of_128) {
  for (std::size_t depth : {127u, 128u, 129u}) {
    EXPECT_EQ(surely_valid(std::string(depth, '[') + std::string(depth, ']')), depth <= max_json_depth);
    std::string objects;
    for (std::size_t i = 1; i < depth; ++i)
      objects += R"({"a":)";
    EXPECT_EQ(surely_valid(objects + "{}" + std::string(depth - 1, '}')), depth <= max_json_depth);
  }
}

TEST(surely_valid, leaves_large_exponents_and_half_surrogate_pairs_to_the_parser) {
  EXPECT_TRUE(surely_valid("[1e9999]"));
  EXPECT_FALSE(surely_valid("[1e99999]"));
  EXPECT_FALSE(surely_valid("[1e99999999999]"));
  EXPECT_TRUE(surely_valid(R"("\ud7ff\ue000\uD7FF")"));
  EXPECT_FALSE(surely_valid(R"("\ud800")"));
  EXPECT_FALSE(surely_valid(R"("\uDFFF")"));
}

// -- find_checked ----------------------------------------------------------------

TEST(find_checked, finds_members_and_members_of_members) {
  EXPECT_EQ(found_in(R"( { "z" : [1,2] , "a" : "\n" , "b" : { "q":{"x":0}, "y" : [ 7 ] } } )"),
            (parts{R"("\n")", R"({ "q":{"x":0}, "y" : [ 7 ] })", "-", "[ 7 ]"}));
  EXPECT_EQ(found_in(R"({"b":[{"x":1}],"x":2})"), (parts{"-", R"([{"x":1}])", "-", "-"}));
  EXPECT_EQ(found_in("{}"), (parts{"-", "-", "-", "-"}));
  EXPECT_EQ(found_in(R"({"b":{}})"), (parts{"-", "{}", "-", "-"}));
}

TEST(find_checked, leaves_it_when_a_member_is_there_twice) {
  EXPECT_EQ(found_in(R"({"a":1,"a":1})"), unsure);
  EXPECT_EQ(found_in(R"({"b":{"x":1,"y":2,"x":3}})"), unsure);
  EXPECT_EQ(found_in(R"({"b":{"x":1},"b":2})"), unsure);
  EXPECT_EQ(found_in(R"({"z":1,"z":2,"b":{"z":1,"z":2},"a":{"x":1,"x":1}})"),
            (parts{R"({"x":1,"x":1})", R"({"z":1,"z":2})", "-", "-"}));
}

TEST(find_checked, leaves_it_when_a_name_has_an_escape_where_it_looks) {
  EXPECT_EQ(found_in(R"({"\u0061":1})"), unsure);
  EXPECT_EQ(found_in(R"({"b":{"\u0078":1}})"), unsure);
  EXPECT_EQ(found_in(R"({"a":{"\u0078":1}})"), (parts{R"({"\u0078":1})", "-", "-", "-"}));
}

TEST(find_checked, leaves_it_when_the_text_is_no_object_or_not_valid) {
  for (auto text :
       {"", " ", "[]", "1", "null", "\"a\"", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}",
        "{\"b\":{\"x\"", "{\"b\":{\"x\":1}", "{\"a\":1}x", "{\"a\":1}{}", "{,}", "{\"a\" 1}", "{\"a\":}"})
    EXPECT_EQ(found_in(text), unsure) << text;
}

TEST(find_checked, looks_as_deep_as_is_accepted) {
  for (std::size_t depth : {127u, 128u, 129u}) {
    auto text = R"({"b":{"x":)" + std::string(depth - 2, '[') + std::string(depth - 2, ']') + "}}";
    EXPECT_EQ(found_in(text) != unsure, depth <= max_json_depth);
  }
}

} // namespace troupe::tests::checked_json_test

#include "protocol/text/json.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::tests::json_test {

using namespace protocol;
using namespace std::string_view_literals;

namespace {

using members = std::vector<std::pair<std::string, std::string>>;
using elements = std::vector<std::string>;

members members_of(std::string_view object) {
  EXPECT_EQ(json_error(object), std::nullopt) << object;
  members result;
  for (object_reader reader{object}; reader.next();)
    result.emplace_back(reader.key(), reader.value());
  return result;
}

elements elements_of(std::string_view array) {
  EXPECT_EQ(json_error(array), std::nullopt) << array;
  elements result;
  for (array_reader reader{array}; reader.next();)
    result.emplace_back(reader.value());
  return result;
}

std::string nested_arrays(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

std::string nested_objects(std::size_t depth) {
  std::string result;
  for (std::size_t i = 1; i < depth; ++i)
    result += R"({"a":)";
  return result + "{}" + std::string(depth - 1, '}');
}

} // namespace

// -- validity ----------------------------------------------------------------

TEST(json_error, finds_nothing_in_valid_texts) {
  for (auto text : {"{}", "[]", "0", "-0", "1.0", "1e3", "1E-3", "\"\"", "true", "false", "null", " {} ", "\t[ ]\r\n",
                    R"({"a":[1,{"b":null}]})", R"("\"\\\/\b\f\n\r\té😀")", "18446744073709551616",
                    "123456789012345678901234567890.5"})
    EXPECT_EQ(json_error(text), std::nullopt) << text;
}

TEST(json_error, finds_what_is_no_JSON) {
  for (auto text :
       {"",       " ",       "{",        "}",        "[",      "[1,]",    "{\"a\":1,}", "{\"a\"}",
        "{a:1}",  "{'a':1}", "nul",      "True",     "01",     "+1",      "1.",         ".5",
        "-",      "1e",      "\"",       "\"a",      "\"\\\"", "\"\\x\"", "\"\\u12\"",  "\"a\nb\"",
        "\"\t\"", "NaN",     "Infinity", "// c\n{}", "{}/**/", "hello",   "[1 2]",      "{\"a\":1 \"b\":2}"})
    EXPECT_NE(json_error(text), std::nullopt) << text;
}

TEST(json_error, finds_a_second_text_after_the_first) {
  for (auto text : {"{}{}", "{} {}", "{}x", "1 2", "[]]", "{}}", "\"a\"\"b\"", "null,"})
    EXPECT_NE(json_error(text), std::nullopt) << text;
}

TEST(json_error, finds_a_NUL) {
  EXPECT_NE(json_error("{}\0"sv), std::nullopt);
  EXPECT_NE(json_error("\"\0\""sv), std::nullopt);
  EXPECT_NE(json_error("\0{}"sv), std::nullopt);
}

TEST(json_error, finds_invalid_UTF_8) {
  for (auto text : {"\"\xff\"", "\"\xc3\"", "\"\xc3(\"", "\"\xc0\xaf\"", "\"\xe2\x82\"", "\"\xed\xa0\x80\"",
                    "\"\xf4\x90\x80\x80\"", "\"\x80\"", "{\"\xff\":1}"})
    EXPECT_NE(json_error(text), std::nullopt) << text;
  for (auto text :
       {"\"\xc3\xa4\"", "\"\xe2\x82\xac\"", "\"\xf0\x9f\x98\x80\"", "\"\xf4\x8f\xbf\xbf\"", "{\"\xc3\xa4\":1}"})
    EXPECT_EQ(json_error(text), std::nullopt) << text;
}

TEST(json_error, allows_a_depth_of_128) {
  for (auto make : {nested_arrays, nested_objects}) {
    EXPECT_EQ(json_error(make(127)), std::nullopt);
    EXPECT_EQ(json_error(make(128)), std::nullopt);
    EXPECT_NE(json_error(make(129)), std::nullopt);
    EXPECT_NE(json_error(make(100'000)), std::nullopt);
  }
}

TEST(json_error, says_where) {
  EXPECT_EQ(json_error("{}x").value_or("").find(" at byte 2") == std::string::npos, false);
}

// -- object_reader -------------------------------------------------------------

TEST(object_reader, finds_no_member_in_an_empty_object) {
  EXPECT_EQ(members_of("{}"), members{});
  EXPECT_EQ(members_of(" \t\r\n{ \t\r\n} \t\r\n"), members{});
}

TEST(object_reader, gives_values_as_they_stand_in_the_text) {
  EXPECT_EQ(members_of(R"({"a":1,"b":"x","c":{"d":[1, 2]},"e":[{}],"f":true,"g":null,"h":1.0,"i":-1E+5})"),
            (members{{"a", "1"},
                     {"b", "\"x\""},
                     {"c", R"({"d":[1, 2]})"},
                     {"e", "[{}]"},
                     {"f", "true"},
                     {"g", "null"},
                     {"h", "1.0"},
                     {"i", "-1E+5"}}));
}

TEST(object_reader, passes_over_white_space_everywhere) {
  EXPECT_EQ(members_of(" { \"a\" \t:\r\n 1 , \"b\"\n:\n[ 1 , 2 ]\n, \"c\" : \" x \" ,\"d\":{ } , \"e\":null } "),
            (members{{"a", "1"}, {"b", "[ 1 , 2 ]"}, {"c", "\" x \""}, {"d", "{ }"}, {"e", "null"}}));
}

TEST(object_reader, resolves_escapes_in_keys) {
  EXPECT_EQ(members_of(R"({"\u0069d":1,"a\"b":2,"a\\":3,"\\\"":4,"\n":5,"\ud83d\ude00":6,"\u0000x":7})"),
            (members{{"id", "1"},
                     {"a\"b", "2"},
                     {"a\\", "3"},
                     {"\\\"", "4"},
                     {"\n", "5"},
                     {"\xf0\x9f\x98\x80", "6"},
                     {std::string{"\0x", 2}, "7"}}));
}

TEST(object_reader, is_not_misled_by_quotes_brackets_and_commas_in_strings) {
  EXPECT_EQ(
      members_of(R"({"a":"}","b":"\"},{","c":["]","\\","\\\"]"],"d":{"}":"{"},":":","})"),
      (members{
          {"a", "\"}\""}, {"b", R"("\"},{")"}, {"c", R"(["]","\\","\\\"]"])"}, {"d", R"({"}":"{"})"}, {":", "\",\""}}));
}

TEST(object_reader, counts_backslashes_before_a_quote) {
  for (std::size_t pairs : {0u, 1u, 2u, 50u}) {
    auto value = '"' + std::string(2 * pairs, '\\') + '"';
    auto quote_inside = '"' + std::string(2 * pairs + 1, '\\') + "\"\"";
    EXPECT_EQ(members_of("{\"a\":" + value + ",\"b\":" + quote_inside + ",\"c\":[" + value + "," + quote_inside + "]}"),
              (members{{"a", value}, {"b", quote_inside}, {"c", "[" + value + "," + quote_inside + "]"}}));
  }
}

TEST(object_reader, gives_every_one_of_equal_keys_in_their_order) {
  EXPECT_EQ(members_of(R"({"a":1,"a":2,"\u0061":3})"), (members{{"a", "1"}, {"a", "2"}, {"a", "3"}}));
}

TEST(object_reader, gives_an_empty_key) { EXPECT_EQ(members_of(R"({"":{}})"), (members{{"", "{}"}})); }

// -- array_reader --------------------------------------------------------------

TEST(array_reader, finds_no_element_in_an_empty_array) {
  EXPECT_EQ(elements_of("[]"), elements{});
  EXPECT_EQ(elements_of(" [ \n ] "), elements{});
}

TEST(array_reader, gives_elements_as_they_stand_in_the_text) {
  EXPECT_EQ(elements_of(R"( [ 1 , "a,]" ,[ 2,[3] ],{"b" : [ ] }, null,true ,-0.50] )"),
            (elements{"1", "\"a,]\"", "[ 2,[3] ]", R"({"b" : [ ] })", "null", "true", "-0.50"}));
}

TEST(array_reader, reads_the_deepest_nesting_that_is_accepted) {
  EXPECT_EQ(elements_of(nested_arrays(128)), elements{nested_arrays(127)});
}

// -- functions -----------------------------------------------------------------

TEST(find_member, follows_a_path) {
  auto text = R"( {"a":{"b":{"c":7}},"b":8,"s":"x"} )";
  EXPECT_EQ(find_member(text, {"b"}), "8");
  EXPECT_EQ(find_member(text, {"a", "b"}), R"({"c":7})");
  EXPECT_EQ(find_member(text, {"a", "b", "c"}), "7");
  EXPECT_EQ(find_member(text, {}), trimmed(text));
}

TEST(find_member, finds_nothing_where_the_path_breaks_off) {
  auto text = R"({"a":{"b":1},"s":"{}","l":[{"b":1}],"n":null})";
  EXPECT_EQ(find_member(text, {"c"}), std::nullopt);
  EXPECT_EQ(find_member(text, {"b"}), std::nullopt);
  EXPECT_EQ(find_member(text, {"a", "c"}), std::nullopt);
  EXPECT_EQ(find_member(text, {"a", "b", "c"}), std::nullopt);
  for (auto no_object : {"s", "l", "n"})
    EXPECT_EQ(find_member(text, {no_object, "b"}), std::nullopt) << no_object;
  EXPECT_EQ(find_member("[1]", {"a"}), std::nullopt);
  EXPECT_EQ(find_member("{}", {"a"}), std::nullopt);
}

TEST(find_member, points_into_the_text) {
  std::string_view text = R"({"a": {"b" : 12}})";
  EXPECT_EQ(find_member(text, {"a", "b"})->data() - text.data(), 13);
}

TEST(string_value, resolves_escapes) {
  EXPECT_EQ(string_value(R"("")"), "");
  EXPECT_EQ(string_value(R"("abc")"), "abc");
  EXPECT_EQ(string_value(R"("\u0031\n\"\\\/")"), "1\n\"\\/");
  EXPECT_EQ(string_value(R"("\ud83d\ude00")"), "\xf0\x9f\x98\x80");
}

TEST(string_value, is_nothing_for_other_tokens) {
  for (auto token : {"", "\"", "1", "null", "true", "{}", "[\"a\"]"})
    EXPECT_EQ(string_value(token), std::nullopt) << token;
}

TEST(quoted, is_undone_by_string_value) {
  for (auto text : {""sv, "a"sv, "\""sv, "\\"sv, "\\\""sv, "\n\r\t\b\f"sv, "\0"sv, "\x1f\x7f"sv, "ä€😀"sv, "/"sv}) {
    auto token = quoted(text);
    EXPECT_EQ(json_error(token), std::nullopt) << token;
    EXPECT_EQ(token.find_first_of("\n\r"), token.npos) << token;
    EXPECT_EQ(string_value(token), text) << token;
  }
}

TEST(quoted, escapes_what_must_be_and_nothing_else) {
  EXPECT_EQ(quoted(" plain/~"), R"(" plain/~")");
  EXPECT_EQ(quoted("a\"b"), R"("a\"b")");
  EXPECT_EQ(quoted("a\\b"), R"("a\\b")");
  EXPECT_EQ(quoted("a\x1f"), R"("a\u001f")");
  EXPECT_EQ(quoted("\x7f"), "\"\x7f\"");
}

TEST(trimmed, takes_the_white_space_of_JSON_and_no_other) {
  EXPECT_EQ(trimmed(" \t\r\n a b \t\r\n"), "a b");
  EXPECT_EQ(trimmed(" \t\r\n"), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed("\v{}\f"), "\v{}\f");
}

TEST(json_error, takes_half_a_surrogate_pair_as_JavaScript_does) {
  for (auto text : {R"("\ud83d")", R"("\uDE00")", R"("a\ud83d\ud83d\ude00b\udead")", R"({"\udc00":1})"})
    EXPECT_EQ(json_error(text), std::nullopt) << text;
  for (auto text : {R"("\ud83")", R"("\ud83d\)", R"("\ud83d\u")", R"(\ud83d)"})
    EXPECT_NE(json_error(text), std::nullopt) << text;
}

TEST(has_half_character, finds_half_a_surrogate_pair_in_any_spelling) {
  for (auto text : {R"("\ud83d")", R"("\uDE00")", R"("\uD83D\uD83D\uDE00")", R"("a\\\ude00")", R"("\ud83d\u0041")"})
    EXPECT_TRUE(has_half_character(text)) << text;
  for (auto text : {R"("")", R"("\ud83d\ude00")", R"("\uD83D\uDE00")", R"("\\ud83d")", R"("\u0041\n")", R"("\ufffd")",
                    "\"\uFFFD\""})
    EXPECT_FALSE(has_half_character(text)) << text;
}

TEST(string_value, reads_half_a_surrogate_pair_as_the_replacement_character) {
  EXPECT_EQ(string_value(R"("\ud83d")"), "\uFFFD");
  EXPECT_EQ(string_value(R"("\ud83d\ude00")"), "😀");
  EXPECT_EQ(string_value(R"("\\ud83d")"), R"(\ud83d)");
}

} // namespace troupe::tests::json_test

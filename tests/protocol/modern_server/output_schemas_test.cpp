// Structured content of tools, for session-based clients.

#include "protocol/modern_server/legacy_conversion.hpp"

#include <gtest/gtest.h>

#include <string>

namespace troupe::tests::output_schemas_test {

using troupe::protocol::output_schemas;

namespace {

std::string list_of(const std::string& tool) { return R"({"tools":[)" + tool + "]}"; }
std::string tool(const std::string& name, const std::string& schema) {
  return R"({"name":")" + name + R"(","outputSchema":)" + schema + "}";
}
std::string wrapped(const std::string& schema) {
  return R"({"type":"object","properties":{"result":)" + schema + R"(},"required":["result"]})";
}
std::string nested(std::size_t levels) { return levels == 0 ? "1" : R"({"a":)" + nested(levels - 1) + "}"; }
std::string sized(std::size_t bytes) { return R"({"a":")" + std::string(bytes - 8, 'x') + "\"}"; }

bool wraps(const output_schemas& those, const std::string& name) {
  return those.session_result(R"({"content":[1],"structuredContent":{}})", name) !=
         R"({"content":[1],"structuredContent":{}})";
}

} // namespace

TEST(output_schemas, stops_wrapping_when_the_tool_gives_objects_or_says_nothing_of_them) {
  for (auto& later : {tool("a", R"({"type":"object"})"), std::string{R"({"name":"a"})"}}) {
    output_schemas it;
    it.session_list(list_of(tool("a", "{}")));
    it.session_list(list_of(R"({"name":"b"})"));
    EXPECT_TRUE(wraps(it, "a"));
    EXPECT_EQ(it.session_list(list_of(later)), list_of(later));
    EXPECT_FALSE(wraps(it, "a"));
  }
}

TEST(output_schemas, leaves_out_what_is_too_deep_to_be_rewritten) {
  output_schemas it;
  for (auto levels : {31u, 32u}) {
    EXPECT_EQ(it.session_list(list_of(tool("a", nested(levels)))), list_of(tool("a", wrapped(nested(levels)))));
    EXPECT_TRUE(wraps(it, "a"));
  }
  EXPECT_EQ(it.session_list(list_of(tool("a", nested(33)))), list_of(R"({"name":"a"})"));
  EXPECT_FALSE(wraps(it, "a"));
}

TEST(output_schemas, leaves_out_what_is_too_large_to_be_rewritten) {
  output_schemas it;
  for (auto bytes : {262'143u, 262'144u}) {
    EXPECT_TRUE(it.session_list(list_of(tool("a", sized(bytes)))) == list_of(tool("a", wrapped(sized(bytes)))));
  }
  EXPECT_EQ(it.session_list(list_of(tool("a", sized(262'145)))), list_of(R"({"name":"a"})"));
  auto object = tool("a", R"({"type":"object","b":)" + sized(262'145) + "}");
  EXPECT_TRUE(it.session_list(list_of(object)) == list_of(object));
}

TEST(output_schemas, remembers_names_of_limited_length) {
  output_schemas it;
  for (auto length : {8191u, 8192u, 8193u}) {
    std::string name(length, 'n');
    it.session_list(list_of(tool(name, "{}")));
    EXPECT_EQ(wraps(it, name), length <= 8192);
  }
}

TEST(output_schemas, remembers_names_up_to_a_number_of_bytes) {
  output_schemas it;
  for (auto letter = 'a'; letter < 'h'; ++letter)
    it.session_list(list_of(tool(std::string(8192, letter), "{}")));
  it.session_list(list_of(tool(std::string(8191, 'h'), "{}")));
  it.session_list(list_of(tool("zz", "{}")));
  EXPECT_FALSE(wraps(it, "zz"));
  it.session_list(list_of(tool("y", "{}")));
  EXPECT_TRUE(wraps(it, "y"));
  it.session_list(list_of(tool("x", "{}")));
  EXPECT_FALSE(wraps(it, "x"));
  it.session_list(list_of(R"({"name":"y"})"));
  it.session_list(list_of(tool("x", "{}")));
  EXPECT_TRUE(wraps(it, "x"));
}

} // namespace troupe::tests::output_schemas_test

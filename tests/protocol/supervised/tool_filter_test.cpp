#include "protocol/supervised/tool_filter.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::tool_filter_test {

using namespace protocol;

namespace {

std::string listed(const tool_filter& filter, const std::string& text) {
  auto result = filter.filtered(gateway_message(text));
  EXPECT_EQ(result.text.substr(result.id_at.at, result.id_at.size), "1");
  return result.text;
}

std::string answer(const std::string& tools, const std::string& more = {}) {
  return R"({"jsonrpc":"2.0","id":1,"result":{"tools":)" + tools + more + "}}";
}

bool allows_call(const tool_filter& filter, const std::string& params) {
  return filter.allows_call(
      gateway_message(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":)" + params + "}"));
}

const tool_filter reads{{"read_*", "list"}, {"*_secret"}};
const std::string strange = R"( [ {"name":"rm"} , 5,{"a":1}, {"name": 7},{"name":"read_a" ,"x":1.50} ] )";

} // namespace

TEST(a_tool, exists_when_it_is_allowed_and_not_denied) {
  EXPECT_TRUE(reads.allows("read_file"));
  EXPECT_TRUE(reads.allows("list"));
  EXPECT_FALSE(reads.allows("write_file"));
  EXPECT_FALSE(reads.allows("read_secret"));
  EXPECT_FALSE(reads.allows(""));
}

// In C, and in programs written in C, a name ends at a null character.
TEST(a_tool, is_denied_by_the_part_of_its_name_that_some_servers_read) {
  using namespace std::string_view_literals;
  tool_filter filter{{}, {"rm"}};
  EXPECT_FALSE(filter.allows("rm\0"sv));
  EXPECT_FALSE(filter.allows("rm\0x"sv));
  EXPECT_FALSE(reads.allows("write\0read_a"sv));
  EXPECT_TRUE(filter.allows("ls\0rm"sv));
  EXPECT_FALSE(allows_call(filter, R"({"name":"rm\u0000x"})"));
}

TEST(a_tool, exists_unless_denied_when_nothing_is_said_of_what_is_allowed) {
  tool_filter filter{{}, {"rm*"}};
  EXPECT_TRUE(filter.allows("list"));
  EXPECT_FALSE(filter.allows("rmdir"));
}

TEST(a_list_of_tools, is_left_as_it_is_without_a_filter) {
  auto text = answer(strange);
  EXPECT_EQ(tool_filter{}.filtered(gateway_message(text)).text, text);
}

TEST(a_list_of_tools, is_left_as_it_is_when_all_are_allowed) {
  auto text = answer(R"([ {"name":"read_a"} ,{ "name" : "list" } ])", R"( ,"nextCursor":"c")");
  EXPECT_EQ(listed(reads, text), text);
  EXPECT_EQ(listed(reads, answer("[]")), answer("[]"));
}

TEST(a_list_of_tools, loses_those_that_do_not_exist_and_keeps_the_rest_byte_for_byte) {
  EXPECT_EQ(listed(reads, answer(R"([{"name":"rm"},{"name" : "read_a","n":1.50}, {"name":"list"},{"name":"x"}])",
                                 R"(, "nextCursor" : "c\u0041")")),
            answer(R"([{"name" : "read_a","n":1.50},{"name":"list"}])", R"(, "nextCursor" : "c\u0041")"));
  EXPECT_EQ(listed(reads, answer(R"([{"name":"rm"}])")), answer("[]"));
}

TEST(a_list_of_tools, loses_what_is_no_tool_that_could_be_allowed) {
  EXPECT_EQ(listed(reads, answer(strange)), answer(R"( [{"name":"read_a" ,"x":1.50}] )"));
}

TEST(a_list_of_tools, is_seen_through_escapes_and_doubled_keys) {
  EXPECT_EQ(listed(reads, answer(R"([{"n\u0061me":"r\u006d"},{"name":"list","name":"rm"}])")), answer("[]"));
  EXPECT_EQ(listed(reads, answer(R"([])", R"(,"t\u006fols":[{"name":"rm"}])")), answer("[]", R"(,"t\u006fols":[])"));
}

TEST(a_list_of_tools, may_stand_before_the_id) {
  EXPECT_EQ(listed(reads, R"({"result":{"tools":[{"name":"rm"}]},"id":1,"jsonrpc":"2.0"})"),
            R"({"result":{"tools":[]},"id":1,"jsonrpc":"2.0"})");
}

TEST(a_list_of_tools, may_be_none_at_all) {
  for (auto text :
       {R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}})", R"({"jsonrpc":"2.0","id":1,"result":[]})",
        R"({"jsonrpc":"2.0","id":1,"result":{"tools":{"name":"rm"}}})"})
    EXPECT_EQ(listed(reads, text), text);
}

TEST(a_call_of_a_tool, passes_when_the_tool_exists) {
  EXPECT_TRUE(allows_call(reads, R"({"name":"list","arguments":{"name":"rm"}})"));
  EXPECT_FALSE(allows_call(reads, R"({"name":"rm"})"));
  EXPECT_FALSE(allows_call(reads, R"({"name":"list","name":"rm"})"));
  EXPECT_FALSE(allows_call(reads, R"({"name":["list"]})"));
  EXPECT_FALSE(allows_call(reads, "{}"));
  EXPECT_FALSE(reads.allows_call(gateway_message(R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})")));
}

// A server may compare methods without regard to case or blanks.
TEST(a_call_of_a_tool, is_not_one_in_other_letters) {
  auto why = [](const tool_filter& filter, const std::string& method) {
    auto refused = filter.refuse(
        gateway_message(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{"name":"list"}})"));
    return refused ? refused->text : "";
  };
  for (auto method : {"Tools/Call", "tools/call ", "tools/call/", "tools/list/all"})
    EXPECT_EQ(why(reads, method), "Method not found: " + std::string{method});
  for (auto method : {"tools/call", "tools/list", "x/custom"})
    EXPECT_EQ(why(reads, method), "");
  EXPECT_EQ(why({}, "Tools/Call"), "");
  auto twice =
      gateway_message(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list","NAME":"rm"}})");
  EXPECT_EQ(reads.refuse(twice)->code, -32600);
  EXPECT_FALSE(tool_filter{}.refuse(twice));
}

TEST(a_call_of_a_tool, always_passes_without_a_filter) {
  EXPECT_TRUE(allows_call({}, R"({"name":["rm"]})"));
  EXPECT_TRUE(allows_call({}, "{}"));
}

} // namespace troupe::tests::tool_filter_test

#include "protocol/remote/repeated_fields.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::repeated_fields_test {

using namespace protocol;

namespace {

/// The header fields for the arguments of a call, without those of its method and name.
std::string fields_for(const std::string& arguments) {
  tool_rules rules;
  rules.learn(R"({"tools":[{"name":"t","inputSchema":{"properties":{"a":{"type":"string","x-mcp-header":"A"},
"o":{"properties":{"b":{"type":"integer","x-mcp-header":"B"},"c":{"type":"boolean","x-mcp-header":"C"}}},
"d":{"type":"string","x-mcp-header":"D"}}}}]})");
  auto call = gateway_message(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":)" +
                              arguments + "}}");
  std::string result;
  for (auto& [name, value] : repeated_fields(call, rules))
    if (name.starts_with("Mcp-Param-"))
      result += name.substr(10) + "=" + value + " ";
  return result;
}

} // namespace

TEST(repeated_fields, say_the_arguments_in_the_order_of_their_rules) {
  EXPECT_EQ(fields_for(R"({"x":1,"d":"4","o":{"c":true,"b":-7,"a":"no"},"a":"1","b":2})"), "A=1 B=-7 C=true D=4 ");
  EXPECT_EQ(fields_for(R"({"a":null,"o":{"b":{}},"d":["x"]})"), "");
  EXPECT_EQ(fields_for("{}"), "");
  EXPECT_EQ(fields_for("7"), "");
}

TEST(repeated_fields, say_the_first_of_two_arguments) {
  EXPECT_EQ(fields_for(R"({"a":"1","a":"2","o":7,"o":{"b":1}})"), "A=1 ");
}

} // namespace troupe::tests::repeated_fields_test

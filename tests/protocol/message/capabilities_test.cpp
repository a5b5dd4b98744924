#include "protocol/message/initialize_request.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace troupe::tests::capabilities_test {

using namespace protocol;

namespace {

client_capabilities declared(std::string capabilities) {
  return read_capabilities(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":)" + capabilities +
                           "}}");
}

/// The server requests that a client with these capabilities allows.
std::string allowed(const client_capabilities& by) {
  std::string result;
  for (std::string_view method : {"sampling/createMessage", "elicitation/create", "roots/list"})
    result += by.allow(method) ? method.front() : '-';
  return result;
}

} // namespace

// 2025-11-25, lifecycle, "Operation"
TEST(capabilities, are_those_that_the_client_declared) {
  EXPECT_EQ(allowed(declared("{}")), "---");
  EXPECT_EQ(allowed(declared(R"({"sampling":{}})")), "s--");
  EXPECT_EQ(allowed(declared(R"({"elicitation":{"form":{},"url":{}}})")), "-e-");
  EXPECT_EQ(allowed(declared(R"({"roots":{"listChanged":true}})")), "--r");
  EXPECT_EQ(allowed(declared(R"({"roots":{},"sampling":{"tools":{}},"elicitation":{},"experimental":{}})")), "ser");
}

TEST(capabilities, are_none_when_initialize_has_none) {
  for (auto text : {R"({"jsonrpc":"2.0","id":1,"method":"initialize"})",
                    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})",
                    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":[]}})",
                    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":null}})",
                    R"({"jsonrpc":"2.0","id":1,"method":"initialize","capabilities":{"sampling":{}}})"})
    EXPECT_EQ(allowed(read_capabilities(text)), "---") << text;
}

TEST(capabilities, do_not_concern_methods_that_need_none) {
  for (auto method : {"ping", "custom/thing", "sampling", "tasks/get", ""})
    EXPECT_TRUE(client_capabilities{}.allow(method)) << method;
  EXPECT_FALSE(client_capabilities{}.allow("sampling/other"));
}

} // namespace troupe::tests::capabilities_test

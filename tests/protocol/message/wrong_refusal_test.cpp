#include "protocol/message/era.hpp"

#include <gtest/gtest.h>

#include <string>

namespace troupe::tests::wrong_refusal_test {

using namespace protocol;

namespace {

const std::string unnamed = "The MCP server refused the client as not capable enough, and did not say of what";

std::string seen(const std::string& error, const client_profile& can = {}) {
  return wrong_refusal(error, can).value_or("the client's");
}

std::string lack(const std::string& needed) {
  return R"({"code":-32021,"message":"m","data":{"requiredCapabilities":)" + needed + "}}";
}

std::string has(const std::string& needed) {
  return "The MCP server refused the client for the lack of what it is capable of: " + needed;
}

} // namespace

TEST(wrong_refusal, is_about_the_header_fields_or_the_version_of_a_request) {
  for (const std::string code : {"-32020", "-32022"})
    EXPECT_EQ(seen(R"({"code":)" + code + R"(,"message":"m"})"), "The MCP server did not understand the gateway: m");
}

TEST(wrong_refusal, is_about_capabilities_that_the_client_has) {
  EXPECT_EQ(seen(lack(R"({"roots":{}})"), {.roots = true}), has(R"({"roots":{}})"));
  EXPECT_EQ(seen(lack(R"({"elicitation":{}})"), {.form = true}), has(R"({"elicitation":{}})"));
  EXPECT_EQ(seen(lack(R"({"sampling":{"tools":{}}})"), {.sampling = true, .sampling_tools = true}),
            has(R"({"sampling":{"tools":{}}})"));
  EXPECT_EQ(seen(lack(R"({"roots":{}})")), "the client's");
  EXPECT_EQ(seen(lack(R"({"roots":{},"sampling":{}})"), {.roots = true}), "the client's");
  EXPECT_EQ(seen(lack(R"({"elicitation":{"url":{}}})"), {.form = true}), "the client's");
}

TEST(wrong_refusal, is_about_capabilities_that_are_not_named) {
  EXPECT_EQ(seen(R"({"code":-32021,"message":"m"})"), unnamed);
  for (const std::string needed : {"{}", "{ }", "null", "[]"})
    EXPECT_EQ(seen(lack(needed)), unnamed) << needed;
}

TEST(wrong_refusal, is_no_error_about_what_only_the_client_knows_or_did) {
  EXPECT_EQ(seen(lack(R"({"extensions":{"a/b":{}}})")), "the client's");
  for (const std::string code : {"-32602", "-32603", "-32601", "-32050", "7", "\"-32020\"", "null"})
    EXPECT_EQ(seen(R"({"code":)" + code + R"(,"message":"m"})"), "the client's") << code;
}

} // namespace troupe::tests::wrong_refusal_test

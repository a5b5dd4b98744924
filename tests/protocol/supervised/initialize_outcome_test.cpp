#include "protocol/supervised/initialize_outcome.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::initialize_outcome_test {

using namespace protocol;

namespace {

std::variant<initialize_outcome, initialize_failure> read(const std::string& rest) {
  return read_initialize_outcome(gateway_message(R"({"jsonrpc":"2.0","id":1,)" + rest + "}"));
}

initialize_outcome of(const std::string& result) { return std::get<initialize_outcome>(read("\"result\":" + result)); }

std::string why(const std::string& rest) { return std::get<initialize_failure>(read(rest)).why; }

std::string answer(const initialize_outcome& one, const std::string& params) {
  return one.answer_to(gateway_message(R"({"jsonrpc":"2.0","id":"x","method":"initialize","params":)" + params + "}"))
      .text;
}

const std::string unknown = "it answered initialize with a protocol version that is not known";
const std::string result = R"({ "serverInfo":{"name":"protocolVersion"},"protocolVersion" : "2025-06-18","x":1.50})";

} // namespace

TEST(a_greeting, tells_the_version_and_what_the_server_has) {
  auto one = of(R"({"protocolVersion":"2025-06-18","capabilities":{"tools":{},"resources":{}}})");
  EXPECT_EQ(one.version, "2025-06-18");
  EXPECT_TRUE(one.tools);
  EXPECT_FALSE(one.prompts);
  EXPECT_TRUE(one.resources);
}

TEST(a_greeting, is_repeated_byte_for_byte_under_another_id) {
  for (auto params : {R"({"protocolVersion":"2025-06-18"})", R"({"protocolVersion":"2025-11-25"})",
                      R"({"protocolVersion":"1999-01-01"})", R"({"protocolVersion":1})", "{}"})
    EXPECT_EQ(answer(of(result), params), R"({"jsonrpc":"2.0","id":"x","result":)" + result + "}") << params;
}

TEST(a_greeting, names_the_older_version_of_who_asks_for_it) {
  EXPECT_EQ(answer(of(result), R"({"protocolVersion":"2024-11-05"})"),
            R"({"jsonrpc":"2.0","id":"x","result":{ "serverInfo":{"name":"protocolVersion"},)"
            R"("protocolVersion" : "2024-11-05","x":1.50}})");
}

TEST(a_greeting, may_be_a_refusal) {
  EXPECT_EQ(why(R"("error":{"code":1,"message":"no"})"), "it refused to initialize: no");
  EXPECT_EQ(why(R"("error":{"code":1})"), "it refused to initialize");
  for (auto bad : {"{}", "[]", "null", R"({"protocolVersion":"2026-07-28"})", R"({"protocolVersion":7})"})
    EXPECT_EQ(why(std::string{"\"result\":"} + bad), unknown) << bad;
}

TEST(our_initialize, is_valid_whatever_the_gateways_version) {
  auto one = gateway_message(initialize_text("5", "1\"2"));
  EXPECT_EQ(one.id, "5");
  EXPECT_EQ(one.method, "initialize");
  EXPECT_EQ(find_member(one.text, {"params", "clientInfo", "version"}), R"("1\"2")");
}

} // namespace troupe::tests::initialize_outcome_test

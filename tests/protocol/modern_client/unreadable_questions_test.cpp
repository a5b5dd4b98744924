// Requests of a server that are refused because no client could read them.

#include "protocol/modern_client/legacy_messages.hpp"
#include "tests/support/server_as_modern_driver.hpp"

namespace troupe::tests::unreadable_questions_test {

// 2025-11-25, elicitation
TEST(unreadable_question, is_an_elicitation_without_what_its_mode_needs) {
  auto fault = [](const std::string& params, const std::string& method = "elicitation/create") {
    return fault_in_question(gateway_message(R"({"jsonrpc":"2.0","id":1,"method":")" + method + '"' + params + "}"));
  };
  const std::string no_message = "params.message must be a string: what the user is asked";
  for (const std::string params : {"", R"(,"params":{})", R"(,"params":{"message":7,"requestedSchema":{}})"})
    EXPECT_EQ(fault(params), no_message) << params;
  EXPECT_EQ(fault(R"(,"params":{"message":"?"})"), "params.requestedSchema must be an object: the schema of the form");
  EXPECT_EQ(fault(R"(,"params":{"mode":"url","message":"?","requestedSchema":{}})"),
            "params.url must be a string: what the user is to open");
  for (const std::string mode : {"\"dance\"", "7", "null", "\"\""})
    EXPECT_EQ(fault(R"(,"params":{"message":"?","requestedSchema":{},"url":"a:","mode":)" + mode + "}"),
              R"(params.mode must be "form" or "url")")
        << mode;
  EXPECT_EQ(fault(R"(,"params":{"message":"","requestedSchema":{}})"), "");
  EXPECT_EQ(fault(R"(,"params":{"mode":"form","message":"?","requestedSchema":{}})"), "");
  EXPECT_EQ(fault(R"(,"params":{"mode":"url","message":"?","url":"a:"})"), "");
  EXPECT_EQ(fault("", "roots/list"), "");
}

TEST(unreadable_question, parks_no_call) {
  parked_call_driver t;
  const std::string why = "Invalid params: params.message must be a string: what the user is asked";
  EXPECT_EQ(t.server(question("1", "elicitation/create", "{}")),
            stateless_effects{asks_server(error_text("1", -32602, why))});
  EXPECT_EQ(t.it.parked_calls(), 0u);
}

} // namespace troupe::tests::unreadable_questions_test

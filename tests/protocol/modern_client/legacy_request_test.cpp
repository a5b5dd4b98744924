#include "protocol/modern_client/legacy_messages.hpp"

#include "tests/support/stateless_driver.hpp"

namespace troupe::tests::legacy_request_test {

namespace {

std::string legacy(std::string text) { return legacy_request(gateway_message(std::move(text)), "42").text; }

} // namespace

TEST(legacy_request, has_our_id_and_no_envelope) {
  EXPECT_EQ(legacy(modern("\"a\"", "m", R"("x": 1.0)")), request("42", "m", R"({"x": 1.0})"));
  EXPECT_EQ(legacy(modern("1", "m")), request("42", "m"));
  EXPECT_FALSE(legacy_request(gateway_message(modern("1", "m")), "42").claims_modern);
}

TEST(legacy_request, keeps_what_others_put_into_its_meta) {
  EXPECT_EQ(legacy(modern("1", "m", "", R"("traceparent":"00-1","com.example/x":[ 1 ])")),
            request("42", "m", R"({"_meta":{"traceparent":"00-1","com.example/x":[ 1 ]}})"));
  EXPECT_EQ(legacy(request("1", "m",
                           R"({"_meta":{"io.modelcontextprotocol/logLevel":"info","x":1,)"
                           R"("io.modelcontextprotocol/clientInfo":{},)"
                           R"("io.modelcontextprotocol/subscriptionId":1,)"
                           R"("io.modelcontextprotocol/serverInfo":{}}})")),
            request("42", "m", R"({"_meta":{"x":1}})"));
}

TEST(legacy_request, has_our_progress_token_where_the_client_gave_one) {
  EXPECT_EQ(legacy(modern("1", "m", "", R"("progressToken":"t")")),
            request("42", "m", R"({"_meta":{"progressToken":42}})"));
  EXPECT_EQ(legacy(modern("1", "m", R"("x":1)", R"("progressToken":7)")),
            request("42", "m", R"({"x":1,"_meta":{"progressToken":42}})"));
}

TEST(legacy_request, has_no_params_that_only_a_stateless_request_has) {
  EXPECT_EQ(legacy(modern("1", "m", R"("inputResponses":{},"x":{"task":1},"requestState":"s","task":{})")),
            request("42", "m", R"({"x":{"task":1}})"));
}

TEST(legacy_request, may_have_no_params) {
  EXPECT_EQ(legacy(R"({"jsonrpc":"2.0","method":"m","id":1})"), R"({"jsonrpc":"2.0","method":"m","id":42})");
  EXPECT_EQ(legacy(R"({"jsonrpc":"2.0","method":"m","params":{"_meta":null},"id":1})"),
            R"({"jsonrpc":"2.0","method":"m","params":{"_meta":null},"id":42})");
}

TEST(legacy_request, asks_for_a_task) {
  EXPECT_EQ(as_task(gateway_message(request("1", "tools/call"))).text, request("1", "tools/call", R"({"task":{}})"));
  EXPECT_EQ(as_task(gateway_message(request("1", "tools/call", R"({"name":"t"})"))).text,
            request("1", "tools/call", R"({"name":"t","task":{}})"));
}

TEST(legacy_request, is_the_same_call_whatever_it_says_of_the_client) {
  EXPECT_TRUE(are_same_call(R"({"name":"t","arguments":{"a":1,"b":[2]},"_meta":{"x":1}})",
                            R"({"inputResponses":{},"arguments":{"b":[2],"a":1},"requestState":"s","name":"t"})"));
  EXPECT_TRUE(are_same_call("{}", R"({"_meta":{}})"));
  EXPECT_FALSE(are_same_call(R"({"name":"t"})", R"({"name":"u"})"));
  EXPECT_FALSE(are_same_call(R"({"name":"t"})", R"({"name":"t","arguments":{}})"));
  EXPECT_FALSE(are_same_call(R"({"name":"t","arguments":{}})", R"({"name":"t"})"));
  EXPECT_FALSE(are_same_call(R"({"a":[1,2]})", R"({"a":[2,1]})"));
}

} // namespace troupe::tests::legacy_request_test

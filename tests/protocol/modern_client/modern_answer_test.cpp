#include "protocol/modern_client/modern_answer.hpp"

#include "tests/support/stateless_driver.hpp"

namespace troupe::tests::modern_answer_test {

namespace {

const std::string server_info = R"({"name":"s","version":"1"})";

send_response modern_of(std::string text, std::string_view method = "m", std::string_view uri = {}) {
  return modern_answer(gateway_message(std::move(text)), {3, "\"c\"", method, uri, server_info});
}

std::string modern_result_of(std::string value, std::string_view method = "m") {
  return modern_of(result("42", std::move(value)), method).text;
}

std::string error_of(int code, const std::string& more = {}) {
  return R"({"jsonrpc":"2.0","id":42,"error":{"code":)" + std::to_string(code) + R"(,"message":"why")" + more + "}}";
}

} // namespace

TEST(modern_answer, says_that_it_is_complete_and_whose) {
  EXPECT_EQ(modern_of(result("42")), answered(3, result("\"c\"", "{" + complete + "}")));
  EXPECT_EQ(modern_result_of(R"({ "x": 1.0 })"), result("\"c\"", R"({ "x": 1.0 ,)" + complete + "}"));
}

TEST(modern_answer, adds_the_server_to_a_meta_that_is_there) {
  EXPECT_EQ(modern_result_of(R"({"_meta":{"a":1},"x":1})"),
            result("\"c\"", R"({"_meta":{"a":1,)" + info_member + R"(},"x":1,"resultType":"complete"})"));
  EXPECT_EQ(modern_result_of(R"({"_meta":{"io.modelcontextprotocol/serverInfo":7}})"),
            result("\"c\"", R"({"_meta":{)" + info_member + R"(},"resultType":"complete"})"));
  EXPECT_EQ(modern_result_of(R"({"_meta":null})"), result("\"c\"", "{" + complete + "}"));
}

TEST(modern_answer, names_no_server_that_did_not_name_itself) {
  EXPECT_EQ(modern_answer(gateway_message(result("42")), {3, "1", "m", "", ""}),
            answered(3, result("1", R"({"resultType":"complete"})")));
}

TEST(modern_answer, must_not_be_kept_where_others_may_be) {
  for (auto method : {"tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"})
    EXPECT_EQ(modern_result_of(R"({"x":1})", method), result("\"c\"", R"({"x":1,)" + cacheable + "}"));
}

TEST(modern_answer, has_no_member_twice) {
  EXPECT_EQ(modern_result_of(R"({"resultType":"x","ttlMs":9,"y":1,"cacheScope":"public"})", "resources/read"),
            result("\"c\"", R"({"y":1,)" + cacheable + "}"));
  EXPECT_EQ(modern_result_of(R"({"resultType":"x","ttlMs":9})"), result("\"c\"", R"({"ttlMs":9,)" + complete + "}"));
}

// Before 2026-07-28 an empty cursor ends a list. Since then it is an ordinary cursor.
TEST(modern_answer, ends_a_list_of_the_session_era_that_ends_with_an_empty_cursor) {
  for (auto method : {"tools/list", "prompts/list", "resources/list", "resources/templates/list"}) {
    for (auto last : {R"("")", "null", "1"})
      EXPECT_EQ(modern_result_of(R"({"x":1,"nextCursor":)" + std::string{last} + "}", method),
                result("\"c\"", R"({"x":1,)" + cacheable + "}"));
    EXPECT_EQ(modern_result_of(R"({"nextCursor":"\u0063"})", method),
              result("\"c\"", R"({"nextCursor":"\u0063",)" + cacheable + "}"));
  }
  EXPECT_EQ(modern_result_of(R"({"nextCursor":""})", "tools/call"),
            result("\"c\"", R"({"nextCursor":"",)" + complete + "}"));
}

TEST(modern_answer, goes_on_with_an_empty_cursor_in_words_of_2026_07_28) {
  auto answer = gateway_message(result("42", R"({"nextCursor":"","ttlMs":0,"cacheScope":"private"})"));
  answer.claims_modern = true;
  EXPECT_EQ(modern_answer(answer, {3, "\"c\"", "tools/list", "", server_info}).text,
            result("\"c\"", R"({"nextCursor":"",)" + cacheable + "}"));
}

TEST(modern_answer, has_tools_without_execution) {
  EXPECT_EQ(modern_result_of(R"({"tools":[{"name":"a","execution":{}},{"execution":{},"name":"b"},7]})", "tools/list"),
            result("\"c\"", R"({"tools":[{"name":"a"},{"name":"b"},7],)" + cacheable + "}"));
  EXPECT_EQ(modern_result_of(R"({"tools":[{"execution":{}}]})"),
            result("\"c\"", R"({"tools":[{"execution":{}}],)" + complete + "}"));
}

TEST(modern_answer, is_an_error_when_the_result_is_no_object) {
  EXPECT_EQ(modern_result_of("[]"), failed("\"c\"", "The MCP server gave a result that is no object"));
  EXPECT_EQ(modern_of(result("42", "null")).error, -32603);
}

TEST(modern_answer, keeps_an_error_that_clients_know) {
  for (auto code : {-32601, -32602, -32603, -32700, -32000, -32001, -32019, -1, 7}) {
    auto text = error_of(code, R"(,"data":{ "a":1 })");
    EXPECT_EQ(modern_of(text), answered(3, relayed(gateway_message(text), "\"c\"", {}).text, code)) << code;
  }
}

TEST(modern_answer, says_of_a_missing_resource_that_its_uri_is_wrong) {
  EXPECT_EQ(modern_of(error_of(-32002, R"(,"data":7)"), "resources/read", R"("a:b")"),
            answered(3, R"({"jsonrpc":"2.0","id":"c","error":{"code":-32602,"message":"why","data":{"uri":"a:b"}}})",
                     -32602));
  EXPECT_EQ(modern_of(error_of(-32002)), refused(3, "\"c\"", -32602, "why"));
}

TEST(modern_answer, has_no_code_that_is_reserved) {
  for (auto code : {-32020, -32021, -32042, -32099})
    EXPECT_EQ(modern_of(error_of(code)),
              answered(3,
                       R"({"jsonrpc":"2.0","id":"c","error":{"code":-32603,"message":"why","data":{"upstreamCode":)" +
                           std::to_string(code) + "}}}",
                       -32603));
  EXPECT_EQ(modern_of(error_of(-32100)).error, -32100);
  EXPECT_EQ(modern_of(error_of(0)).error, -32603);
}

TEST(modern_answer, may_be_kept_as_a_server_of_2026_07_28_allows) {
  auto cached_answer = [](std::string value) {
    auto answer = gateway_message(result("42", std::move(value)));
    answer.claims_modern = true;
    return modern_answer(std::move(answer), {3, "1", "tools/list", "", ""}).text;
  };
  auto kept = [](const std::string& hints) { return result("1", "{" + hints + R"(,"resultType":"complete"})"); };
  EXPECT_EQ(cached_answer(R"({"ttlMs":7,"cacheScope":"public"})"), kept(R"("ttlMs":7,"cacheScope":"public")"));
  EXPECT_EQ(cached_answer(R"({"ttlMs":-1,"cacheScope":"all"})"), kept(R"("ttlMs":0,"cacheScope":"private")"));
  EXPECT_EQ(cached_answer("{}"), kept(R"("ttlMs":0,"cacheScope":"private")"));
}

TEST(modern_answer, has_the_code_of_a_lack_from_a_server_of_2026_07_28) {
  auto text = error_of(-32021, R"(,"data":{"requiredCapabilities":{"roots":{}}})");
  auto refusal_for = [&](client_profile can) {
    auto answer = gateway_message(text);
    answer.claims_modern = true;
    return modern_answer(std::move(answer), {3, "42", "tools/call", "", "", can});
  };
  EXPECT_EQ(refusal_for({}), answered(3, text, -32021));
  EXPECT_EQ(refusal_for({.roots = true}),
            refused(3, "42", -32603,
                    R"(The MCP server refused the client for the lack of what it is capable of: {"roots":{}})"));
}

} // namespace troupe::tests::modern_answer_test

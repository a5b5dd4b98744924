#include "protocol/text/json.hpp"
#include "protocol/trace/otlp_export.hpp"
#include "protocol/trace/span.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace troupe::tests::span_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

const trace_position some_position{.high = 0x0102, .low = 0x0304, .span = 0x05, .is_sampled = true, .state = "a=1"};
const std::chrono::system_clock::time_point some_day{1'700'000'000s};

message sampled_request(const std::string& method, const std::string& params, const std::string& id = "7") {
  auto result =
      gateway_message(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":)" + params + "}");
  result.trace = std::make_shared<const request_trace>(request_trace{.at = some_position, .version = "2025-11-25"});
  return result;
}

span begun_with(message request, span::kind is = span::kind::server) {
  return begin_span(request, operation_of(request), {is, 0xabc, some_day});
}

std::string value_of(const span& one, std::string_view name) {
  for (auto& each : one.attributes)
    if (each.name == name)
      return std::get<std::string>(each.value);
  return {};
}

} // namespace

// -- contents ----------------------------------------------------------------------------------

TEST(span, is_what_the_request_is_a_part_of_from_then_on) {
  auto request = sampled_request("tools/call", R"({"name":"add"})");
  auto one = begin_span(request, operation_of(request), {span::kind::server, 0xabc, some_day});
  EXPECT_EQ(one.parent, 0x05U);
  EXPECT_TRUE(one.is_parent_remote);
  EXPECT_EQ(one.at.span, 0xabcU);
  EXPECT_EQ(request.trace->at, one.at);
  EXPECT_FALSE(request.trace->is_in_text);
}

TEST(span, of_a_tool_says_which) {
  auto one = begun_with(sampled_request("tools/call", R"({"name":"add","arguments":{"secret":"s3cret"}})"));
  EXPECT_EQ(one.name, "tools/call add");
  EXPECT_EQ(value_of(one, "mcp.method.name"), "tools/call");
  EXPECT_EQ(value_of(one, "gen_ai.tool.name"), "add");
  EXPECT_EQ(value_of(one, "gen_ai.operation.name"), "execute_tool");
  EXPECT_EQ(value_of(one, "jsonrpc.request.id"), "7");
  EXPECT_EQ(value_of(one, "mcp.protocol.version"), "2025-11-25");
  EXPECT_EQ(otlp_text(one).find("s3cret"), std::string::npos);
}

TEST(span, of_a_prompt_or_a_resource_says_which) {
  auto prompt = begun_with(sampled_request("prompts/get", R"({"name":"greet"})", R"("a\u0062")"));
  EXPECT_EQ(prompt.name, "prompts/get greet");
  EXPECT_EQ(value_of(prompt, "gen_ai.prompt.name"), "greet");
  EXPECT_EQ(value_of(prompt, "jsonrpc.request.id"), "ab");
  auto resource = begun_with(sampled_request("resources/read", R"({"uri":"file:///a"})"));
  EXPECT_EQ(resource.name, "resources/read");
  EXPECT_EQ(value_of(resource, "mcp.resource.uri"), "file:///a");
}

TEST(span, does_not_name_a_method_that_a_client_invents) {
  EXPECT_EQ(begun_with(sampled_request("a/b", "{}")).name, "other");
}

TEST(span, cuts_long_values_between_characters) {
  for (auto size : {longest_span_value - 1, longest_span_value}) {
    auto uri = std::string(size, 'a');
    EXPECT_EQ(value_of(begun_with(sampled_request("resources/read", R"({"uri":")" + uri + "\"}")), "mcp.resource.uri"),
              uri);
  }
  auto uri = std::string(longest_span_value - 1, 'a');
  auto one = begun_with(sampled_request("resources/read", R"({"uri":")" + uri + "\xc3\xa4\"}"));
  EXPECT_EQ(value_of(one, "mcp.resource.uri"), uri);
}

TEST(span, says_how_it_ended) {
  auto one = begun_with(sampled_request("tools/call", R"({"name":"add"})"));
  auto failed = one, tool_error = one;
  one.end({}, 1s);
  failed.end(failed_with(-32602), 1s);
  tool_error.end({call_outcome::kind::tool_error}, 1s);
  EXPECT_EQ(one.error, "");
  EXPECT_EQ(value_of(failed, "error.type"), "-32602");
  EXPECT_EQ(value_of(failed, "rpc.response.status_code"), "-32602");
  EXPECT_EQ(value_of(tool_error, "error.type"), "tool_error");
}

// -- spelling ------------------------------------------------------------------------------------

TEST(otlp_json, writes_a_span) {
  auto one = begun_with(sampled_request("ping", "{}"), span::kind::client);
  one.attributes = {{"a.text", std::string{"x\"y"}}, {"a.number", std::int64_t{8443}}};
  one.end(failed_with(-32603), 1500us);
  EXPECT_EQ(
      otlp_text(one),
      R"({"traceId":"00000000000001020000000000000304","spanId":"0000000000000abc","parentSpanId":"0000000000000005",)"
      R"("traceState":"a=1","flags":257,"name":"ping","kind":3,"startTimeUnixNano":"1700000000000000000",)"
      R"("endTimeUnixNano":"1700000000001500000","attributes":[{"key":"a.text","value":{"stringValue":"x\"y"}},)"
      R"({"key":"a.number","value":{"intValue":"8443"}},{"key":"error.type","value":{"stringValue":"-32603"}},)"
      R"({"key":"rpc.response.status_code","value":{"stringValue":"-32603"}}],"status":{"code":2}})");
}

TEST(otlp_json, writes_the_first_span_of_a_trace_without_a_parent) {
  span one{.at = some_position};
  one.at.state = {};
  EXPECT_EQ(otlp_text(one).find("parentSpanId"), std::string::npos);
  EXPECT_EQ(otlp_text(one).find("traceState"), std::string::npos);
  EXPECT_NE(otlp_text(one).find(R"("flags":257)"), std::string::npos);
  EXPECT_NE(otlp_text(one).find(R"("status":{})"), std::string::npos);
}

TEST(otlp_json, writes_a_request) {
  auto head = otlp_head({{"service.name", "troupe"}, {"a", "b"}}, "1.2");
  auto text = otlp_request(head, {"{}", R"({"kind":2})"});
  EXPECT_EQ(text,
            R"({"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"troupe"}},)"
            R"({"key":"a","value":{"stringValue":"b"}}]},"scopeSpans":[{"scope":{"name":"troupe","version":"1.2"},)"
            R"("spans":[{},{"kind":2}]}]}]})");
  EXPECT_FALSE(json_error(text));
}

TEST(otlp_json, reads_how_many_were_rejected) {
  EXPECT_EQ(otlp_rejected(R"({"partialSuccess":{"rejectedSpans":"3","errorMessage":"no"}})"), 3U);
  EXPECT_EQ(otlp_rejected(R"({"partialSuccess":{"rejectedSpans":2}})"), 2U);
  for (auto text : {"", "{}", "no", "[]", R"({"partialSuccess":{}})", R"({"partialSuccess":{"rejectedSpans":"x"}})"})
    EXPECT_EQ(otlp_rejected(text), 0U) << text;
}

} // namespace troupe::tests::span_test

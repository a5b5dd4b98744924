// The position of a request's params, for all origins of the request.

#include "protocol/message/splice.hpp"
#include "protocol/trace/message_trace.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace troupe::tests::params_at_test {

using namespace protocol;

namespace {

std::string call_text(const std::string& params) {
  return R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":)" + params + "}";
}

message call_with(const std::string& params) { return gateway_message(call_text(params)); }

/// Expects the result of a full search.
void expect_known(const message& one) {
  ASSERT_NE(one.params_at, 0U) << one.text;
  auto params = find_member(one.text, {"params"});
  EXPECT_EQ(one.params_at, static_cast<std::size_t>(params->data() - one.text.data()) + 1) << one.text;
  EXPECT_FALSE(find_member(one.text, {"params", "_meta"})) << one.text;
}

} // namespace

TEST(params_at, is_known_from_reading) {
  for (auto params : {"{}", "{ }", R"({"name":"read"})", R"({"arguments":{"_meta":{}}})"})
    expect_known(call_with(params));
  expect_known(gateway_message(R"({"params":  {"a":1},"method":"m","jsonrpc":"2.0","id":7})"));
}

TEST(params_at, is_not_known_where_meta_is_or_may_be) {
  for (auto params :
       {R"({"_meta":{}})", R"({"name":"read","_meta":null})", R"({"_m\u0065ta":{}})", R"({"name":"a","name":"b"})"})
    EXPECT_EQ(call_with(params).params_at, 0U) << params;
  EXPECT_EQ(gateway_message(R"({"jsonrpc":"2.0","id":7,"method":"ping"})").params_at, 0U);
  EXPECT_EQ(gateway_message(R"({"jsonrpc":"2.0","method":"m","params":{}})").params_at, 0U);
  auto of_batch = std::get<post_body>(read_body("[" + call_text("{}") + "]")).messages.front();
  EXPECT_EQ(of_batch.params_at, 0U);
}

TEST(params_at, stays_right_when_the_id_is_another) {
  for (auto text : {R"({"jsonrpc":"2.0","id":7,"method":"m","params":{"name":"x"}})",
                    R"({"params":{"name":"x"},"method":"m","jsonrpc":"2.0","id":7})"})
    for (auto token : {"123456", "1", R"("a long one")"})
      expect_known(relayed(gateway_message(text), token, token));
}

TEST(params_at, stays_right_when_the_text_is_edited) {
  auto one = call_with(R"({"name":"server__read","b":2})");
  auto name = replacing(one.text, *find_member(one.text, {"params", "name"}), R"("read")");
  auto method = replacing(one.text, *find_member(one.text, {"method"}), R"("tools/call/of/another")");
  expect_known(spliced(one, {}));
  expect_known(spliced(one, {name}));
  expect_known(spliced(one, {method, name}));
  expect_known(spliced(one, {{{one.params_at, 0}, R"("first":1,)"}}));
}

TEST(params_at, is_forgotten_when_an_edit_may_have_changed_it) {
  auto one = call_with(R"({"name":"read"})");
  auto params = *find_member(one.text, {"params"});
  EXPECT_EQ(spliced(one, {replacing(one.text, params, R"({"a":1})")}).params_at, 0U);
  EXPECT_EQ(spliced(one, {{{one.params_at - 1U, 1}, R"({"a":1,)"}}).params_at, 0U);
  EXPECT_EQ(spliced(one, {{{one.params_at, 0}, R"("_meta":{},)"}}).params_at, 0U);
  EXPECT_EQ(spliced(one, {{{one.text.size() - 2, 0}, R"(,"_meta":{})"}}).params_at, 0U);
}

TEST(params_at, is_forgotten_when_a_trace_was_written_there) {
  auto one = call_with(R"({"name":"read"})");
  one.trace = std::make_shared<const request_trace>(
      request_trace{*read_traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")});
  write_trace(one);
  EXPECT_EQ(one.text, call_text(R"({"_meta":{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},)"
                                R"("name":"read"})"));
  EXPECT_EQ(one.params_at, 0U);
}

} // namespace troupe::tests::params_at_test

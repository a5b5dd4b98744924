// The position of a request's name, for all origins of the request.

#include "protocol/message/message.hpp"
#include "protocol/message/splice.hpp"
#include "protocol/trace/message_trace.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace troupe::tests::name_token_test {

using namespace protocol;

namespace {

std::string call_text(const std::string& params) {
  return R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":)" + params + "}";
}

message call_with(const std::string& params) { return gateway_message(call_text(params)); }

/// Expects the result of a full search.
void expect_name(const message& one, const std::string& name) {
  EXPECT_EQ(name_param(one), name) << one.text;
  EXPECT_EQ(name_token(one), find_member(one.text, {"params", "name"})) << one.text;
}

std::string_view token_of(const message& one) { return *find_member(one.text, {"params", "name"}); }

} // namespace

TEST(name_token, is_known_from_reading) {
  auto one = call_with(R"({"arguments":{"name":"wrong"},"name":"read"})");
  EXPECT_EQ(one.text.substr(one.name_at.at, one.name_at.size), R"("read")");
  expect_name(one, "read");
  expect_name(call_with(R"({"name":"r\u00e9ad \"it\""})"), "réad \"it\"");
}

TEST(name_token, is_looked_for_where_reading_did_not_find_it) {
  for (auto params : {R"({"name":"first","name":"second"})", R"({"na\u006de":"first"})"}) {
    auto one = call_with(params);
    EXPECT_EQ(one.name_at.size, 0U);
    expect_name(one, "first");
  }
  auto of_batch = std::get<post_body>(read_body("[" + call_text(R"({"name":"first"})") + "]")).messages.front();
  EXPECT_EQ(of_batch.name_at.size, 0U);
  expect_name(of_batch, "first");
}

TEST(name_token, is_not_there) {
  for (auto params : {"{}", R"({"arguments":{"name":"x"}})", R"({"params":{"name":"x"}})"}) {
    EXPECT_EQ(name_token(call_with(params)), std::nullopt) << params;
    expect_name(call_with(params), "");
  }
  for (auto no_string : {"7", "null", R"(["a"])", R"({"a":"b"})"})
    expect_name(call_with(std::string{R"({"name":)"} + no_string + "}"), "");
}

TEST(name_token, stays_right_when_the_ids_are_others) {
  for (auto text : {R"({"jsonrpc":"2.0","id":7,"method":"m","params":{"name":"x","_meta":{"progressToken":8}}})",
                    R"({"params":{"_meta":{"progressToken":8},"name":"x"},"method":"m","jsonrpc":"2.0","id":7})"})
    for (auto token : {"123456", "1", R"("a long one")"}) {
      auto one = relayed(gateway_message(text), token, token);
      EXPECT_NE(one.name_at.size, 0U);
      expect_name(one, "x");
      EXPECT_TRUE(has_ids_in_place(one));
      expect_name(relayed(std::move(one), "0", "1"), "x");
    }
}

TEST(name_token, stays_right_when_the_text_is_edited) {
  auto one = call_with(R"({"a":1,"name":"server__read","b":2})");
  const auto name = token_of(one);
  auto whole = std::string_view{one.text};
  auto before = replacing(one.text, whole.substr(whole.find("1,"), 1), "[1,2,3]");
  auto behind = replacing(one.text, whole.substr(whole.rfind('2'), 1), "22");
  expect_name(spliced(one, {replacing(one.text, name, R"("read")")}), "read");
  expect_name(spliced(one, {before, replacing(one.text, name, R"("read")"), behind}), "read");
  expect_name(spliced(one, {before, behind}), "server__read");
  expect_name(spliced(one, {replacing(one.text, name, "7")}), "");
  expect_name(spliced(one, {replacing(one.text, name.substr(1, 8), "")}), "read");
  expect_name(spliced(one, {replacing(one.text, *find_member(one.text, {"params"}), R"({"name":"other"})")}), "other");
  expect_name(spliced(one, {replacing(one.text, *find_member(one.text, {"params"}), "{}")}), "");
}

TEST(name_token, stays_right_when_a_trace_is_written_before_it) {
  auto one = call_with(R"({"name":"read"})");
  one.trace = std::make_shared<const request_trace>(
      request_trace{*read_traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")});
  write_trace(one);
  EXPECT_NE(one.text.find("traceparent"), one.text.npos);
  EXPECT_NE(one.name_at.size, 0U);
  expect_name(one, "read");
}

TEST(name_token, is_looked_for_when_the_text_was_taken_away) {
  auto one = call_with(R"({"name":"read"})");
  one.text = R"({"params":{}})";
  EXPECT_EQ(name_param(one), "");
}

} // namespace troupe::tests::name_token_test

#include "protocol/message/skipped_message.hpp"

#include <gtest/gtest.h>

#include <string>

namespace troupe::tests::skipped_message_test {

using namespace protocol;

namespace {

/// Classifies a line by its first and last bytes.
skipped_message judged(const std::string& line, std::size_t kept = 64) {
  return classify_skipped(std::string_view{line}.substr(0, kept),
                          std::string_view{line}.substr(line.size() - std::min(kept, line.size())), 100);
}

/// The peer that the message concerns, and the id.
std::string verdict(const std::string& line) {
  auto is = judged(line);
  if (is.for_user)
    return "user " + is.for_user->id;
  return is.for_server ? "server " + is.for_server->id : "nobody";
}

const std::string much = R"({"content":[{"type":"text","text":")" + std::string(1000, 'x') + R"("}]})";

} // namespace

TEST(skipped_message, fails_the_call_whose_id_precedes_the_result) {
  EXPECT_EQ(verdict(R"({"jsonrpc":"2.0","id":7,"result":)" + much + "}"), "user 7");
  EXPECT_EQ(verdict(R"({"id":"7","error":{"code":1,"message":"m","data":)" + much + "}}\r"), R"(user "7")");
}

TEST(skipped_message, fails_the_call_whose_id_follows_the_result) {
  EXPECT_EQ(verdict(R"({"jsonrpc":"2.0","result":)" + much + R"(,"id":7})"), "user 7");
  EXPECT_EQ(verdict(R"({"result":)" + much + R"(,"jsonrpc":"2.0", "id" : 8 , "more":{"id":9} })"), "user 8");
}

TEST(skipped_message, names_the_limit_and_its_key) {
  auto failed = judged(R"({"jsonrpc":"2.0","id":7,"result":)" + much + "}").for_user;
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->text, error_text("7", -32603,
                                     "The MCP server's answer is longer than 100 bytes; "
                                     "gateway.limits.messageBytes allows more"));
}

TEST(skipped_message, refuses_a_question) {
  EXPECT_EQ(verdict(R"({"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":)" + much + "}"),
            R"(server "q")");
  EXPECT_EQ(verdict(R"({"params":)" + much + R"(,"method":"sampling/createMessage","id":1})"), "server 1");
}

TEST(skipped_message, lets_a_notification_go) {
  EXPECT_EQ(verdict(R"({"jsonrpc":"2.0","method":"notifications/message","params":)" + much + "}"), "nobody");
  EXPECT_EQ(verdict(R"({"params":)" + much + R"(,"method":"notifications/message"})"), "nobody");
}

/// The id might belong to a server request, or to nothing.
TEST(skipped_message, fails_no_call_by_an_id_alone) { EXPECT_EQ(verdict(R"({"id":7,"what":)" + much + "}"), "nobody"); }

TEST(skipped_message, fails_no_call_when_the_id_cannot_be_told) {
  EXPECT_EQ(verdict(R"({"result":)" + much + R"(,"id":7,"_meta":)" + much + "}"), "nobody");
  EXPECT_EQ(verdict(R"({"id":7,"result":)" + much + R"(,"id":8})"), "nobody");
  EXPECT_EQ(verdict(R"({"id":{},"result":)" + much + "}"), "nobody");
  EXPECT_EQ(verdict(R"({"id":null,"error":)" + much + "}"), "nobody");
  EXPECT_EQ(verdict(R"({"id":")" + std::string(longest_id, 'i') + R"(","result":1})"), "nobody");
  EXPECT_EQ(verdict("{\"id\":\"\xff\",\"result\":" + much + "}"), "nobody");
  EXPECT_EQ(verdict(R"([{"jsonrpc":"2.0","id":7,"result":)" + much + "}]"), "nobody");
  EXPECT_EQ(verdict(std::string(1000, 'x')), "nobody");
  EXPECT_EQ(verdict(""), "nobody");
}

// -- malformed messages --------------------------------------------------------------------

namespace {

/// The messages for the user or the server about an unreadable text; empty when there are none.
std::string messages_about(const std::string& text) {
  auto read = read_message(text);
  auto is = classify_malformed(text_ends{text}, std::get<rejection>(read).text);
  if (is.for_user)
    return is.for_user->text;
  return is.for_server ? is.for_server->text : "";
}

std::string fails(const std::string& id, const std::string& why) {
  return error_text(id, -32603, "The MCP server's answer is malformed: " + why);
}

} // namespace

TEST(malformed_message, fails_the_call_that_it_answers) {
  EXPECT_EQ(messages_about(R"({"jsonrpc":"2.0","id":5,"result":{},"error":{}})"),
            fails("5", "a response has either a result or an error"));
  EXPECT_EQ(messages_about(R"({"jsonrpc":"2.0","id":"a","error":"boom"})"), fails("\"a\"", "error must be an object"));
  EXPECT_EQ(messages_about(R"({"jsonrpc":"2.0","result":)" + much + R"(,"error":{},"id":5})"),
            fails("5", "a response has either a result or an error"));
}

TEST(malformed_message, fails_the_call_that_a_text_answers_which_is_nested_too_deeply) {
  auto told = messages_about(R"({"jsonrpc":"2.0","id":5,"result":{"a":)" + std::string(5000, '[') +
                             std::string(5000, ']') + "}}");
  EXPECT_TRUE(told.starts_with(R"({"jsonrpc":"2.0","id":5,"error":{"code":-32603)")) << told;
}

TEST(malformed_message, is_refused_when_it_is_a_request) {
  EXPECT_EQ(messages_about(R"({"jsonrpc":"2.0","id":5,"method":"roots/list","params":[]})"),
            error_text("5", -32600, "Invalid Request: params must be an object"));
}

TEST(malformed_message, concerns_nobody_without_a_usable_id) {
  EXPECT_EQ(messages_about(R"({"jsonrpc":"2.0","result":{},"error":{}})"), "");
  EXPECT_EQ(messages_about(R"({"jsonrpc":"2.0","id":5,"id":6,"result":{}})"), "");
  EXPECT_EQ(messages_about(R"({"jsonrpc":"2.0","id":"\ud800","result":{}})"), "");
  EXPECT_EQ(messages_about(R"({"jsonrpc":"2.0","id":1.5,"result":{}})"), "");
  EXPECT_EQ(messages_about(R"({"jsonrpc":"2.0","method":"n","params":[]})"), "");
  EXPECT_EQ(messages_about("listening on port 80"), "");
}

} // namespace troupe::tests::skipped_message_test

#include "protocol/modern_client/legacy_messages.hpp"

#include "protocol/message/message.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::input_request_test {

using namespace protocol;

using texts = std::vector<std::string>;

TEST(input_request, has_nothing_that_only_the_session_era_has) {
  EXPECT_EQ(input_request("elicitation/create", R"({"_meta":{},"message": "?","task":{},"elicitationId":"e"})"),
            R"({"method":"elicitation/create","params":{"message": "?"}})");
  EXPECT_EQ(input_request("roots/list", ""), R"({"method":"roots/list"})");
}

TEST(input_request, has_answers_of_its_own_kind) {
  for (auto bad : {"null", "7", "\"a\"", "[]", "{}"})
    for (auto method : {"elicitation/create", "sampling/createMessage", "roots/list"})
      EXPECT_FALSE(is_input_response(method, bad)) << method << bad;
  for (auto action : {"accept", "decline", "cancel"})
    EXPECT_TRUE(is_input_response("elicitation/create", R"({"action":")" + std::string{action} + "\"}"));
  EXPECT_FALSE(is_input_response("elicitation/create", R"({"action":"sing"})"));
  EXPECT_TRUE(is_input_response("roots/list", R"({"roots":[]})"));
  EXPECT_FALSE(is_input_response("roots/list", R"({"roots":{}})"));
  EXPECT_TRUE(is_input_response("sampling/createMessage", R"({"content":{}})"));
  EXPECT_TRUE(is_input_response("sampling/createMessage", R"({"content":[]})"));
  EXPECT_FALSE(is_input_response("sampling/createMessage", R"({"content":"a"})"));
}

TEST(input_request, is_given_up_as_each_kind_is) {
  EXPECT_EQ(given_up_answer("1", "elicitation/create"), R"({"jsonrpc":"2.0","id":1,"result":{"action":"cancel"}})");
  EXPECT_EQ(given_up_answer("1", "sampling/createMessage"), error_text("1", -1, "The client did not answer in time"));
  EXPECT_EQ(given_up_answer("1", "roots/list"), error_text("1", -32603, "The client did not answer in time"));
}

TEST(input_request, is_made_of_each_url_that_must_be_opened) {
  auto required = [](const std::string& data) {
    return required_elicitations(
        gateway_message(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32042,"message":"m","data":)" + data + "}}"));
  };
  EXPECT_EQ(required(R"({"elicitations":[{"mode":"url","url":"a:"},{"mode":"url","url":"b:"}]})"),
            (texts{R"({"mode":"url","url":"a:"})", R"({"mode":"url","url":"b:"})"}));
  for (auto bad : {"null", "{}", R"({"elicitations":{}})", R"({"elicitations":[7]})",
                   R"({"elicitations":[{"mode":"url","url":"a:"},{"mode":"form"}]})"})
    EXPECT_EQ(required(bad), texts{}) << bad;
}

} // namespace troupe::tests::input_request_test

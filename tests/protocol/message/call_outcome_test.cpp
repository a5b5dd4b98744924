#include "protocol/message/call_outcome.hpp"
#include "protocol/message/message.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace troupe::tests::call_outcome_test {

using namespace protocol;

TEST(message, says_how_its_request_ended_however_it_is_read) {
  using kind = call_outcome::kind;
  const std::pair<const char*, call_outcome> cases[] = {
      {R"("result":{})", {}},
      {R"("result":{"content":[{"isError":true}],"isError":false})", {}},
      {R"("result":{"structuredContent":{"isError":true}})", {}},
      {R"("result":{"isError":"true"})", {}},
      {R"("result":[{"isError":true}])", {}},
      {R"("result":{"content":[],"isError":true})", {kind::tool_error}},
      {R"("error":{"code":-32603,"message":"m"})", failed_with(-32603)},
      {R"("error":{"message":"code","code":7})", failed_with(7)},
      {R"("error":{"message":"no code"})", failed_with(0)},
      {R"("error":{"code":99999999999})", failed_with(0)},
  };
  for (auto& [text, outcome] : cases) {
    EXPECT_EQ(gateway_message(R"({"jsonrpc":"2.0","id":1,)" + std::string{text} + "}").outcome, outcome) << text;
    EXPECT_EQ(gateway_message(R"({"jsonrpc":"2.0","id":1,)" + std::string{text} + R"(,"\u007a":0})").outcome, outcome)
        << text;
  }
}

TEST(call_outcome, is_told_by_few_words_in_metrics_and_exactly_in_logs) {
  EXPECT_EQ(failed_with(-32602).label(), "-32602");
  EXPECT_EQ(failed_with(-32602).text(), "-32602");
  EXPECT_EQ(failed_with(1234).label(), "_OTHER");
  EXPECT_EQ(failed_with(1234).text(), "1234");
  EXPECT_EQ(call_outcome{}.text(), "");
  EXPECT_EQ(call_outcome{call_outcome::kind::tool_error}.text(), "tool_error");
}

} // namespace troupe::tests::call_outcome_test

// Answers to clients when the node of their requests is lost.

#include "protocol/cluster/unanswered_requests.hpp"
#include "protocol/text/sse.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::unanswered_requests_test {

using namespace protocol;

namespace {

const std::string error =
    R"("error":{"code":-32603,"message":"The node that ran the call was lost before it answered"}})";

unanswered_requests after(const std::string& body) { return unanswered_requests{std::get<post_body>(read_body(body))}; }

} // namespace

TEST(unanswered_requests, of_a_call_is_an_error) {
  auto one = after(R"({"jsonrpc":"2.0","id":"x","method":"m"})");
  EXPECT_EQ(one.json(), R"({"jsonrpc":"2.0","id":"x",)" + error);
  EXPECT_EQ(one.last_messages(), (std::vector{one.json().value()}));
  EXPECT_EQ(one.json("so"), R"({"jsonrpc":"2.0","id":"x","error":{"code":-32603,"message":"so"}})");
}

TEST(unanswered_requests, of_a_batch_is_an_error_for_each_request) {
  auto one = after(R"([{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","method":"n"},)"
                   R"({"jsonrpc":"2.0","id":2,"method":"m"}])");
  EXPECT_EQ(one.json(), R"([{"jsonrpc":"2.0","id":1,)" + error + R"(,{"jsonrpc":"2.0","id":2,)" + error + "]");
  EXPECT_EQ(one.last_messages().size(), 2U);
}

TEST(unanswered_requests, fails_nothing_that_was_answered_on_its_stream) {
  auto one = after(R"([{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","id":"1","method":"m"},)"
                   R"({"jsonrpc":"2.0","id":2,"method":"m"}])");
  one.note_events(": a comment\n\nid: x-1\ndata:\n\n");
  one.note_events(encode({.id = "x-2", .data = R"({"jsonrpc":"2.0","id":2,"method":"question"})"}));
  EXPECT_EQ(one.last_messages().size(), 3U);
  one.note_events(encode({.id = "x-3", .type = "message", .data = R"({"jsonrpc":"2.0","id":1,"result":{}})"}));
  EXPECT_EQ(one.last_messages(),
            (std::vector<std::string>{R"({"jsonrpc":"2.0","id":"1",)" + error, R"({"jsonrpc":"2.0","id":2,)" + error}));
  one.note_events(encode({.data = R"([{"jsonrpc":"2.0","id":"1","error":{}},{"jsonrpc":"2.0","id":2,"result":1}])"}));
  EXPECT_EQ(one.last_messages(), std::vector<std::string>{});
  EXPECT_EQ(one.json(), std::nullopt);
}

TEST(unanswered_requests, does_not_read_what_cannot_be_an_answer) {
  for (auto& other :
       {R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"message":"no result"}})",
        R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"results":[],"\u00e9":"\ud83d\ude00"}})", ""})
    EXPECT_FALSE(unanswered_requests::may_answer(encode({.id = "x-1", .type = "message", .data = other}))) << other;
  for (auto& answer : {R"({"jsonrpc":"2.0","id":1,"result":{}})", R"({"error":{},"id":1,"jsonrpc":"2.0"})",
                       R"({"jsonrpc":"2.0","id":1,"\u0072\u0065\u0073\u0075\u006C\u0074":{}})",
                       R"({"jsonrpc":"2.0","id":1,"err\u006fr":{}})"}) {
    auto one = after(R"({"jsonrpc":"2.0","id":1,"method":"m"})");
    one.note_events(encode({.id = "x-1", .type = "message", .data = answer}));
    EXPECT_EQ(one.json(), std::nullopt) << answer;
  }
}

TEST(unanswered_requests, of_what_awaits_no_answer_is_nothing) {
  for (auto& one : {after(R"({"jsonrpc":"2.0","method":"n"})"), unanswered_requests{}}) {
    EXPECT_EQ(one.json(), std::nullopt);
    EXPECT_EQ(one.last_messages(), std::vector<std::string>{});
  }
}

} // namespace troupe::tests::unanswered_requests_test

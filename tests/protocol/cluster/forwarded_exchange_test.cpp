// The client's side of a request that another node answers.

#include "protocol/cluster/forwarded_exchange.hpp"
#include "protocol/text/sse.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::forwarded_exchange_test {

using namespace protocol;

namespace {

const node_life owner{2, 1};
const rejection otherwise = session_not_found();
const std::string error_of_1 = R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"why"}})";

forwarded_exchange posted(const std::string& body) { return {owner, "s", std::get<post_body>(read_body(body)), false}; }
forwarded_exchange called() { return posted(R"({"jsonrpc":"2.0","id":1,"method":"m"})"); }
forwarded_exchange listened() { return {owner, "s", {}, true}; }
forwarded_exchange stateless(bool listens) {
  auto body = std::get<post_body>(read_body(R"({"jsonrpc":"2.0","id":1,"method":"m"})"));
  return {owner, "", body, listens, transport::stateless};
}
const rejection* refusal_in(const failed_answer& answer) { return std::get_if<rejection>(&answer); }

} // namespace

TEST(forwarded_exchange, of_a_call_fails_with_an_error) {
  EXPECT_EQ(called().fail("why", otherwise), failed_answer{error_of_1});
}

TEST(forwarded_exchange, of_a_notification_fails_with_a_refusal) {
  EXPECT_EQ(posted(R"({"jsonrpc":"2.0","method":"m"})").fail("why", otherwise), failed_answer{otherwise});
  EXPECT_EQ(listened().fail("why", otherwise), failed_answer{otherwise});
}

TEST(forwarded_exchange, that_is_a_stream_ends_with_an_error_for_what_was_not_answered_on_it) {
  auto one = called();
  one.begun();
  EXPECT_EQ(one.fail("why", otherwise), failed_answer{(end_of_stream{{encode({.data = error_of_1})}})});
  one.passed_on(encode({.data = R"({"jsonrpc":"2.0","id":1,"result":{}})"}));
  EXPECT_EQ(one.fail("why", otherwise), failed_answer{end_of_stream{}});
  auto other = listened();
  other.begun();
  EXPECT_EQ(other.fail("why", otherwise), failed_answer{end_of_stream{}});
}

TEST(forwarded_exchange, of_a_subscription_is_refused_until_its_stream_has_begun) {
  auto one = stateless(true);
  auto refused = one.fail("why", otherwise);
  ASSERT_TRUE(refusal_in(refused));
  EXPECT_EQ(refusal_in(refused)->status, 503);
  EXPECT_EQ(refusal_in(refused)->id, "1");
  one.begun();
  EXPECT_EQ(one.fail("why", otherwise), one.fail("why", {}));
  EXPECT_FALSE(refusal_in(one.fail("why", otherwise)));
}

TEST(forwarded_exchange, whose_session_has_ended_is_refused_as_on_one_node) {
  EXPECT_EQ(called().end(), failed_answer{session_not_found()});
  EXPECT_EQ(listened().end(), failed_answer{session_not_found()});
  auto one = called();
  one.begun();
  EXPECT_EQ(std::get<end_of_stream>(one.end()).events.size(), 1u);
}

TEST(forwarded_exchange, that_names_no_session_may_be_sent_again_if_it_was_not_received) {
  const forwarded_exchange initialize{
      owner, "", std::get<post_body>(read_body(R"({"jsonrpc":"2.0","id":1,"method":"m"})")), false};
  for (auto& one : {initialize, stateless(false), stateless(true)}) {
    auto refused = one.end();
    ASSERT_TRUE(refusal_in(refused));
    EXPECT_EQ(refusal_in(refused)->status, 503);
    EXPECT_EQ(refusal_in(refused)->id, "1");
  }
}

TEST(forwarded_exchange, that_nothing_has_handled_may_go_elsewhere) {
  auto body = std::get<post_body>(read_body(R"({"jsonrpc":"2.0","id":1,"method":"m"})"));
  EXPECT_EQ(unheld_request("s", body), owner_unknown());
  EXPECT_EQ(unheld_request("", body), gateway_stops("1"));
  EXPECT_EQ(unheld_request("", {}), gateway_stops());
}

TEST(forwarded_exchange, tells_the_other_node_what_its_client_has_read_when_that_is_much) {
  auto one = called();
  one.begun();
  EXPECT_EQ(one.passed_on(std::string(unreported_events::most - 1, ':')), 0u);
  EXPECT_EQ(one.passed_on(":"), unreported_events::most);
}

TEST(forwarded_exchange, is_a_call_unless_its_client_only_listens) {
  EXPECT_TRUE(called().is_call());
  EXPECT_FALSE(listened().is_call());
}

} // namespace troupe::tests::forwarded_exchange_test

// Requests of a shared server that name the client request to which they belong.

#include "tests/support/server_driver.hpp"

namespace troupe::tests::supervised_questions_test {

TEST(shared_server, asks_the_user_whose_request_a_question_concerns) {
  server_driver t;
  t.opened(2);
  auto own = [](const server_effects& sent) { return std::get<send_to_server>(sent.at(0)).what.id; };
  auto of_one = own(t.user(1, request("7", "tools/call")));
  auto of_two = own(t.user(2, request("7", "tools/call")));
  auto asks = [&](const std::string& concerns) {
    return t.it.server_sent(gateway_message(request("1", "roots/list")), t.now, concerns);
  };
  EXPECT_EQ(asks(of_two), (server_effects{to_user(2, request("1", "roots/list"))}));
  EXPECT_EQ(asks(of_one), (server_effects{to_user(1, request("2", "roots/list"))}));
  t.user(1, cancelled("7"));
  EXPECT_EQ(asks(of_one).size(), 1u);
  EXPECT_TRUE(std::holds_alternative<send_to_server>(asks(of_one).at(0)));
}

TEST(shared_server, gives_time_again_to_the_user_whose_last_question_is_over) {
  server_driver t{{.request = 5min, .question = 10min}};
  t.opened(2);
  auto own = std::get<send_to_server>(t.user(1, request("7", "tools/call")).at(0)).what.id;
  t.it.server_sent(gateway_message(request("1", "roots/list")), t.now, own);
  t.now += 1min;
  t.user(2, request("7", "tools/call"));
  EXPECT_EQ(t.it.deadline(), t.now + 5min);
  t.after(5min);
  t.user(1, result("1"));
  EXPECT_EQ(t.it.deadline(), t.now + 5min);
}

} // namespace troupe::tests::supervised_questions_test

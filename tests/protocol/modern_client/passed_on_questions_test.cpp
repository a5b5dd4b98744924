// A server does not say which of several calls a request belongs to. The request goes to one of them, and to another
// when that ends.

#include "tests/support/server_as_modern_driver.hpp"

namespace troupe::tests::passed_on_questions_test {

namespace {

const std::string asks_form = R"({"method":"elicitation/create","params":{"message":"?","requestedSchema":{}}})";
const std::string q1 = R"("q1":)" + asks_form;
const std::string a1 = R"("q1":)" + accepted;
const auto given_up = R"({"action":"cancel"})";

send_response ended(exchange_id exchange, std::string id) {
  return answered(exchange, result(std::move(id), "{" + complete + "}"));
}

/// Calls 5 and 6, with the same id and name, at a server whose requests are collected for a while.
struct two_calls : parked_call_driver {
  static server_as_modern_rules rules() {
    auto result = adapter_rules();
    result.collect = 10ms;
    return result;
  }
  two_calls() : parked_call_driver{rules()} { calls(6); }
};

} // namespace

TEST(passed_on_question, is_of_the_call_that_is_left_when_the_other_is_answered_first) {
  two_calls t;
  EXPECT_EQ(t.server(question("1")), stateless_effects{});
  EXPECT_EQ(t.server(result("6")), stateless_effects{ended(6, "7")});
  EXPECT_EQ(t.it.deadline(), t.now + 10ms);
  EXPECT_EQ(t.after(10ms), stateless_effects{input_required(5, "7", q1, 5, 1)});
  EXPECT_EQ(t.retries(7, 5, 1, a1), stateless_effects{asks_server(result("1", accepted))});
  EXPECT_EQ(t.server(result("5")), stateless_effects{ended(7, "8")});
}

TEST(passed_on_question, is_of_the_call_that_is_left_when_the_other_is_closed) {
  two_calls t;
  t.server(question("1"));
  EXPECT_EQ(t.closes(6), stateless_effects{asks_server(cancellation_of("6", "The client closed its request").text)});
  EXPECT_EQ(t.after(10ms), stateless_effects{input_required(5, "7", q1, 5, 1)});
}

TEST(passed_on_question, is_dropped_when_the_server_withdraws_it_with_the_call_that_was_closed) {
  two_calls t;
  t.server(question("1"));
  t.closes(6);
  EXPECT_EQ(t.server(cancelled("1")), stateless_effects{});
  EXPECT_EQ(t.after(10ms), stateless_effects{});
  EXPECT_EQ(t.server(result("5")), stateless_effects{ended(5, "7")});
}

TEST(passed_on_question, is_asked_again_when_the_client_that_was_asked_has_its_answer_already) {
  two_calls t;
  t.server(question("1"));
  EXPECT_EQ(t.after(10ms), stateless_effects{input_required(6, "7", q1, 6, 1)});
  EXPECT_EQ(t.server(result("6")), stateless_effects{});
  EXPECT_EQ(t.after(10ms), stateless_effects{input_required(5, "7", q1, 5, 1)});
  EXPECT_EQ(t.retries(7, 6, 1, a1), stateless_effects{ended(7, "8")});
  EXPECT_EQ(t.retries(8, 5, 1, a1), stateless_effects{asks_server(result("1", accepted))});
}

TEST(passed_on_question, waits_for_the_next_round_of_a_call_that_is_parked) {
  two_calls t;
  t.server(question("1"));
  t.after(10ms);
  t.server(question("2"));
  t.after(10ms);
  EXPECT_EQ(t.server(result("6")), stateless_effects{});
  EXPECT_EQ(t.after(1s), stateless_effects{});
  EXPECT_EQ(t.retries(7, 5, 1, a1), (stateless_effects{asks_server(result("2", accepted)),
                                                       input_required(7, "8", R"("q2":)" + asks_form, 5, 2)}));
}

TEST(passed_on_question, is_answered_that_nobody_answers_when_no_call_is_left) {
  two_calls t;
  t.server(result("5"));
  t.server(question("1"));
  EXPECT_EQ(t.server(result("6")), (stateless_effects{asks_server(result("1", given_up)), ended(6, "7")}));
  t.calls(7);
  t.server(question("2"));
  EXPECT_EQ(t.closes(7), (stateless_effects{asks_server(result("2", given_up)),
                                            asks_server(cancellation_of("7", "The client closed its request").text)}));
  t.calls(8);
  t.server(question("3"));
  t.after(10ms);
  EXPECT_EQ(t.server(result("8")), stateless_effects{asks_server(result("3", given_up))});
}

TEST(passed_on_question, goes_to_no_call_that_it_cannot_be_about) {
  two_calls t;
  t.seen(
      [&](auto& out) { t.it.server_sent(gateway_message(question("1")), t.now, out, std::vector<std::string>{"6"}); });
  EXPECT_EQ(t.server(result("6")), (stateless_effects{asks_server(result("1", given_up)), ended(6, "7")}));
}

TEST(passed_on_question, goes_to_no_client_that_cannot_be_asked_it) {
  two_calls t;
  t.can = {.sampling = true};
  t.calls(7);
  t.can = asked_anything;
  t.calls(8);
  t.server(result("5"));
  t.server(result("6"));
  t.server(question("1"));
  EXPECT_EQ(t.server(result("8")), (stateless_effects{asks_server(result("1", given_up)), ended(8, "7")}));
}

TEST(passed_on_question, is_nobodys_when_the_server_is_lost) {
  two_calls t;
  t.server(question("1"));
  EXPECT_EQ(t.lost(), (stateless_effects{lost_with_server(5, "7"), lost_with_server(6, "7")}));
}

TEST(passed_on_question, is_one_of_several_of_which_each_call_of_a_name_has_one) {
  two_calls t;
  t.asks(7, modern("7", "prompts/get", R"("name":"another")"));
  t.calls(8);
  for (auto id : {"1", "2", "3"})
    EXPECT_EQ(t.server(question(id)), stateless_effects{});
  EXPECT_EQ(t.after(10ms), (stateless_effects{input_required(5, "7", q1, 5, 1), input_required(6, "7", q1, 6, 1),
                                              input_required(8, "7", q1, 8, 1)}));
}

} // namespace troupe::tests::passed_on_questions_test

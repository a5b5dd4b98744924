// Consecutive server requests that are sent to the client in one round.

#include "tests/support/server_as_modern_driver.hpp"

namespace troupe::tests::collected_questions_test {

namespace {

const std::string asks_form = R"({"method":"elicitation/create","params":{"message":"?","requestedSchema":{}}})";
const std::string q1_form = R"("q1":)" + asks_form;
const std::string accepted_both = R"("q1":)" + accepted + R"(,"q2":)" + accepted;

parked_call_driver collecting(std::size_t parked_calls = 64) {
  auto rules = adapter_rules();
  rules.parked_calls = parked_calls;
  rules.collect = 10ms;
  return parked_call_driver{std::move(rules)};
}

} // namespace

// 2026-07-28, multi round-trip requests
TEST(collected_questions, are_asked_together) {
  auto t = collecting();
  EXPECT_EQ(t.server(question("1")), stateless_effects{});
  EXPECT_EQ(t.it.deadline(), t.now + 10ms);
  EXPECT_EQ(t.after(9ms), stateless_effects{});
  EXPECT_EQ(t.server(question("2")), stateless_effects{});
  EXPECT_EQ(t.after(1ms),
            stateless_effects{input_required(5, "7", R"("q1":)" + asks_form + R"(,"q2":)" + asks_form, 5, 1)});
  EXPECT_EQ(t.retries(6, 5, 1, accepted_both),
            (stateless_effects{asks_server(result("1", accepted)), asks_server(result("2", accepted))}));
}

// -- single messages -----------------------------------------------------------------

TEST(collected_questions, are_not_waited_for_when_the_last_of_that_name_came_alone) {
  auto t = collecting();
  EXPECT_EQ(t.server(question("1")), stateless_effects{});
  EXPECT_EQ(t.after(10ms), stateless_effects{input_required(5, "7", q1_form, 5, 1)});
  EXPECT_EQ(t.retries(6, 5, 1, R"("q1":)" + accepted), stateless_effects{asks_server(result("1", accepted))});
  EXPECT_EQ(t.server(question("2")), stateless_effects{input_required(6, "8", R"("q2":)" + asks_form, 5, 2)});
  t.calls(9);
  EXPECT_EQ(t.server(question("3")), stateless_effects{input_required(9, "7", q1_form, 9, 1)});
}

TEST(collected_questions, are_waited_for_when_those_of_another_name_came_alone) {
  auto t = collecting();
  t.server(question("1"));
  t.after(10ms);
  t.asks(9, modern("9", "prompts/get", R"("name":"another")"));
  EXPECT_EQ(t.server(question("2")), stateless_effects{});
  EXPECT_EQ(t.after(10ms), stateless_effects{input_required(9, "9", q1_form, 9, 1)});
}

TEST(collected_questions, that_come_late_are_asked_in_the_next_round_and_waited_for_from_then_on) {
  auto t = collecting();
  t.server(question("1"));
  t.after(10ms);
  EXPECT_EQ(t.server(question("2")), stateless_effects{});
  EXPECT_EQ(t.after(10ms), stateless_effects{});
  EXPECT_EQ(
      t.retries(6, 5, 1, R"("q1":)" + accepted),
      (stateless_effects{asks_server(result("1", accepted)), input_required(6, "8", R"("q2":)" + asks_form, 5, 2)}));
  t.calls(9);
  EXPECT_EQ(t.server(question("3")), stateless_effects{});
  EXPECT_EQ(t.it.deadline(), t.now + 10ms);
}

TEST(collected_questions, are_waited_for_again_when_several_were_asked_together) {
  auto t = collecting();
  t.server(question("1"));
  t.server(question("2"));
  t.after(10ms);
  t.calls(9);
  EXPECT_EQ(t.server(question("3")), stateless_effects{});
}

TEST(collected_questions, are_waited_for_beyond_so_many_names_that_are_known_to_ask_alone) {
  for (auto beyond : {0u, 1u}) {
    auto t = collecting(1000);
    const auto last = lone_questions::most - 1 + beyond;
    for (exchange_id n = 0; n <= last; ++n) {
      t.asks(100 + n, modern("9", "prompts/get", R"("name":"p)" + std::to_string(n) + "\""));
      t.server(question("1"));
      t.after(10ms);
    }
    t.asks(900, modern("9", "prompts/get", R"("name":"p)" + std::to_string(last) + "\""));
    EXPECT_EQ(t.server(question("2")).empty(), beyond == 1) << beyond;
  }
}

TEST(collected_questions, are_waited_for_when_the_name_is_too_long_to_be_remembered) {
  for (auto beyond : {0u, 1u}) {
    auto t = collecting();
    const std::string name(lone_questions::longest_name + beyond - std::string{R"(prompts/get "")"}.size(), 'p');
    for (auto exchange : {8u, 9u}) {
      t.asks(exchange, modern("9", "prompts/get", R"("name":")" + name + '"'));
      auto seen = t.server(question("1"));
      EXPECT_EQ(seen.empty(), exchange == 8 || beyond == 1) << exchange << " " << beyond;
      t.after(10ms);
    }
  }
}

// -- stale messages --------------------------------------------------------------------

TEST(collected_questions, are_not_asked_when_they_do_not_matter_any_more) {
  auto t = collecting();
  t.server(question("1"));
  EXPECT_EQ(t.server(result("5")), (stateless_effects{asks_server(result("1", R"({"action":"cancel"})")),
                                                      answered(5, result("7", "{" + complete + "}"))}));
  EXPECT_EQ(t.after(1h), stateless_effects{});
  EXPECT_TRUE(t.it.is_idle());
  auto other = collecting();
  other.server(question("1"));
  EXPECT_EQ(other.server(cancelled("1")), stateless_effects{});
  EXPECT_EQ(other.after(1h), stateless_effects{});
  EXPECT_EQ(other.it.calls_in_flight(), 1u);
  EXPECT_EQ(other.server(result("5")), stateless_effects{answered(5, result("7", "{" + complete + "}"))});
}

TEST(collected_questions, are_answered_when_the_client_goes_before_it_is_asked) {
  auto t = collecting();
  t.server(question("1"));
  EXPECT_EQ(t.closes(5), (stateless_effects{asks_server(result("1", R"({"action":"cancel"})")),
                                            asks_server(cancellation_of("5", "The client closed its request").text)}));
  EXPECT_EQ(t.after(1h), stateless_effects{});
  EXPECT_TRUE(t.it.is_idle());
}

} // namespace troupe::tests::collected_questions_test

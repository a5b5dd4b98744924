#include "protocol/access/principal.hpp"
#include "protocol/message/message.hpp"
#include "tests/support/server_as_modern_driver.hpp"

namespace troupe::tests::parked_calls_test {
namespace {

const std::string asks_form = R"({"method":"elicitation/create","params":{"message":"?","requestedSchema":{}}})";
const std::string q1 = R"("q1":)" + asks_form;
const std::string q2 = R"("q2":)" + asks_form;
const std::string a1 = R"("q1":)" + accepted;
const std::string a2 = R"("q2":)" + accepted;

const auto invalid_state = "requestState is invalid or expired";
const auto nobody =
    "Nobody can be asked now: a question needs a tools/call, prompts/get or resources/read that is under "
    "way";
const auto undeclared = "The client cannot be asked this: it did not declare the capability";
const auto too_many = "Too many questions wait for clients";

struct lacking_one {
  std::string method;
  int code;
  std::string needed;
};
const std::vector<lacking_one> lacking{{"elicitation/create", -32602, R"({"elicitation":{"form":{}}})"},
                                       {"sampling/createMessage", -32601, R"({"sampling":{}})"}};

send_response lacks(exchange_id exchange, std::string_view id, const std::string& method, const std::string& needed) {
  return {exchange,
          error_text(id, -32021, "The MCP server needs a client that can be asked: " + method,
                     R"({"requiredCapabilities":)" + needed + "}"),
          -32021};
}

send_response completes(exchange_id exchange, std::string id) {
  return answered(exchange, result(std::move(id), "{" + complete + "}"));
}

} // namespace

// -- questions -----------------------------------------------------------------------

TEST(parked_calls, are_parked_by_a_question_and_go_on_with_its_answer) {
  parked_call_driver t;
  EXPECT_EQ(t.server(question("\"q\"")), stateless_effects{input_required(5, "7", q1, 5, 1)});
  EXPECT_EQ(t.it.parked_calls(), 1u);
  EXPECT_EQ(t.it.calls_in_flight(), 0u);
  EXPECT_FALSE(t.it.is_idle());
  EXPECT_EQ(t.retries(6, 5, 1, a1), stateless_effects{asks_server(result("\"q\"", accepted))});
  EXPECT_EQ(t.it.parked_calls(), 0u);
  EXPECT_EQ(t.server(result("5")), stateless_effects{completes(6, "8")});
  EXPECT_TRUE(t.it.is_idle());
}

TEST(parked_calls, may_be_any_of_three_methods) {
  for (auto method : {"tools/call", "prompts/get", "resources/read"}) {
    server_as_modern_driver t;
    t.starts();
    t.asks(5, modern("7", method));
    EXPECT_EQ(t.server(question("1")), stateless_effects{input_required(5, "7", q1, 5, 1)});
  }
}

TEST(parked_calls, ask_without_what_only_the_session_era_has) {
  parked_call_driver t;
  EXPECT_EQ(t.server(question("1", "sampling/createMessage", R"({"_meta":{"progressToken":1},"x": 1.0,"task":{}})")),
            stateless_effects{
                input_required(5, "7", R"("q1":{"method":"sampling/createMessage","params":{"x": 1.0}})", 5, 1)});
}

TEST(parked_calls, do_not_end_when_the_exchange_is_closed_that_was_answered) {
  parked_call_driver t;
  t.server(question("1"));
  EXPECT_EQ(t.closes(5), stateless_effects{});
  EXPECT_EQ(t.retries(6, 5, 1, a1), stateless_effects{asks_server(result("1", accepted))});
  EXPECT_EQ(t.closes(6), stateless_effects{asks_server(cancellation_of("5", "The client closed its request").text)});
  EXPECT_TRUE(t.it.is_idle());
}

TEST(parked_calls, can_be_asked_again_and_again) {
  parked_call_driver t;
  t.server(question("1"));
  t.retries(6, 5, 1, a1);
  EXPECT_EQ(t.server(question("2")), stateless_effects{input_required(6, "8", q2, 5, 2)});
  EXPECT_EQ(t.retries(7, 5, 2, a2), stateless_effects{asks_server(result("2", accepted))});
  EXPECT_EQ(t.server(result("5")), stateless_effects{completes(7, "8")});
}

TEST(parked_calls, are_the_latest_that_waits_for_its_answer) {
  parked_call_driver t;
  t.calls(6, "9");
  t.asks(7, modern("10", "m"));
  EXPECT_EQ(t.server(question("1")), stateless_effects{input_required(6, "9", q1, 6, 1)});
  EXPECT_EQ(t.server(question("2")), stateless_effects{input_required(5, "7", q1, 5, 1)});
  EXPECT_EQ(t.retries(8, 6, 1, a1), stateless_effects{asks_server(result("1", accepted))});
  EXPECT_EQ(t.server(question("3")), stateless_effects{input_required(8, "8", q2, 6, 2)});
}

TEST(parked_calls, get_further_questions_for_their_next_round_when_all_are_parked) {
  parked_call_driver t;
  t.calls(6, "9");
  t.server(question("1"));
  t.server(question("2"));
  EXPECT_EQ(t.server(question("3")), stateless_effects{});
  EXPECT_EQ(t.retries(8, 6, 1, a1), stateless_effects{asks_server(result("1", accepted))});
  EXPECT_EQ(t.retries(9, 5, 1, a1),
            (stateless_effects{asks_server(result("2", accepted)), input_required(9, "8", q2, 5, 2)}));
  EXPECT_EQ(t.retries(10, 5, 2, a2), stateless_effects{asks_server(result("3", accepted))});
}

TEST(parked_calls, are_needed_for_a_question) {
  server_as_modern_driver t;
  t.starts();
  EXPECT_EQ(t.server(question("1", "roots/list")), stateless_effects{asks_server(error_text("1", -32602, nobody))});
  t.asks(1, modern("1", "tools/list"));
  EXPECT_EQ(t.server(question("2")), stateless_effects{asks_server(error_text("2", -32602, nobody))});
}

TEST(parked_calls, are_not_asked_what_clients_cannot_be_asked) {
  for (auto& [method, code, needed] : lacking) {
    parked_call_driver t{adapter_rules({.url = true})};
    EXPECT_EQ(t.server(question("1", method)),
              (stateless_effects{asks_server(error_text("1", code, undeclared)), lacks(5, "7", method, needed),
                                 asks_server(cancellation_of("5", "The client cannot be asked this").text)}));
    EXPECT_EQ(t.server(result("5")), stateless_effects{});
    EXPECT_TRUE(t.it.is_idle());
  }
}

TEST(parked_calls, do_not_fail_by_a_question_that_may_be_of_another) {
  parked_call_driver t{adapter_rules({.url = true})};
  auto sampling = [](std::string id) { return question(std::move(id), "sampling/createMessage"); };
  EXPECT_EQ(t.server(question("1", "roots/list")), stateless_effects{asks_server(error_text("1", -32601, undeclared))});
  t.calls(6, "8");
  EXPECT_EQ(t.server(sampling("2")), stateless_effects{asks_server(error_text("2", -32601, undeclared))});
  t.server(result("6"));
  EXPECT_EQ(t.server(sampling("3")).size(), 3u);
}

TEST(parked_calls, are_those_that_a_question_can_be_about) {
  parked_call_driver t;
  t.calls(6, "8");
  auto asks = [&](std::string id, std::vector<std::string> about) {
    return t.seen([&](auto& out) { t.it.server_sent(gateway_message(question(std::move(id))), t.now, out, about); });
  };
  EXPECT_EQ(asks("1", {"5"}), stateless_effects{input_required(5, "7", q1, 5, 1)});
  EXPECT_EQ(asks("2", {"6", "5"}), stateless_effects{input_required(6, "8", q1, 6, 1)});
  EXPECT_EQ(asks("3", {}), stateless_effects{asks_server(error_text("3", -32602, nobody))});
}

TEST(parked_calls, are_so_many_and_no_more) {
  auto rules = adapter_rules();
  rules.parked_calls = 2;
  parked_call_driver t{rules};
  t.calls(6);
  t.calls(7);
  t.server(question("1"));
  EXPECT_EQ(t.server(question("2")).size(), 1u);
  EXPECT_EQ(t.it.parked_calls(), 2u);
  EXPECT_EQ(t.server(question("3")), stateless_effects{asks_server(failed("3", too_many))});
  EXPECT_EQ(t.server(result("5")), stateless_effects{completes(5, "7")});
}

TEST(parked_calls, have_so_many_questions_and_no_more) {
  parked_call_driver t;
  for (auto n = 1; n <= 32; ++n)
    EXPECT_EQ(t.server(question(std::to_string(n))).size(), n == 1 ? 1u : 0u);
  EXPECT_EQ(t.server(question("33")), stateless_effects{asks_server(failed("33", too_many))});
}

TEST(parked_calls, have_questions_of_so_many_bytes_and_no_more) {
  auto rules = adapter_rules();
  auto params = modern("7", "prompts/get", R"("name":"p")").size() - request("7", "prompts/get", "").size();
  rules.waiting_bytes = params + std::string{"7prompts/get"}.size() + 2 * asks_form.size();
  // Messages that wait for the initialization must fit.
  rules.waiting_bytes += 100;
  parked_call_driver t{rules};
  const std::string fits(100, 'x');
  EXPECT_EQ(
      t.server(question("1", "elicitation/create", R"({"message":"?)" + fits + R"(","requestedSchema":{}})")).size(),
      1u);
  EXPECT_EQ(t.server(question("2")), stateless_effects{});
  EXPECT_EQ(t.server(question("3", "roots/list", "{}")), stateless_effects{asks_server(failed("3", too_many))});
}

// -- retries ---------------------------------------------------------------------------

TEST(parked_calls, are_found_by_retries_of_the_same_call_only) {
  parked_call_driver t;
  t.server(question("1"));
  auto is_refused = stateless_effects{refused(6, "8", -32602, invalid_state)};
  auto state = retry_members(5, 1, a1);
  EXPECT_EQ(t.retries_with(6, R"("name":"other",)" + state), is_refused);
  EXPECT_EQ(t.retries_with(6, R"("name":"p",)" + state, "tools/call"), is_refused);
  EXPECT_EQ(t.retries_with(6, R"("name":"p","x":1,)" + state), is_refused);
  EXPECT_EQ(t.retries_with(6, R"("name":"p",)" + state, "server/discover"), is_refused);
  EXPECT_EQ(t.retries(6, 5, 2, a1), is_refused);
  EXPECT_EQ(t.retries(6, 5, 0, a1), is_refused);
  EXPECT_EQ(t.retries(6, 4, 1, a1), is_refused);
  for (auto bad : {"\"\"", "\"x\"", "7", "null", "{}"})
    EXPECT_EQ(t.retries_with(6, R"("name":"p","inputResponses":{},"requestState":)" + std::string{bad}), is_refused);
  EXPECT_EQ(t.retries_with(6, state + R"(,"name":"p")"), stateless_effects{asks_server(result("1", accepted))});
}

TEST(parked_calls, belong_to_one_lease_and_one_caller) {
  parked_call_driver t;
  t.server(question("1"));
  auto with = [&](const std::string& state) {
    return t.retries_with(6, R"("name":"p","inputResponses":{},"requestState":")" + state + "\"");
  };
  auto is_refused = stateless_effects{refused(6, "8", -32602, invalid_state)};
  auto anothers_seal = [](std::string_view) { return std::vector<std::string>{"1234567890"}; };
  EXPECT_EQ(with(sealed_request_state({"other", 5, 1}, seal_of_tests)), is_refused);
  EXPECT_EQ(with(sealed_request_state({"lease", 5, 1}, anothers_seal)), is_refused);
}

TEST(parked_calls, go_on_with_the_first_of_two_retries) {
  parked_call_driver t;
  t.server(question("1"));
  EXPECT_EQ(t.retries(6, 5, 1, a1), stateless_effects{asks_server(result("1", accepted))});
  EXPECT_EQ(t.retries(7, 5, 1, a1), stateless_effects{refused(7, "8", -32602, invalid_state)});
  EXPECT_EQ(t.server(result("5")), stateless_effects{completes(6, "8")});
  EXPECT_EQ(t.retries(8, 5, 1, a1), stateless_effects{refused(8, "8", -32602, invalid_state)});
}

TEST(parked_calls, ask_again_for_what_is_missing) {
  parked_call_driver t;
  t.server(question("1"));
  t.server(question("2"));
  EXPECT_EQ(t.retries(6, 5, 1, R"("q2":)" + accepted + R"(,"odd":{})"),
            (stateless_effects{asks_server(result("2", accepted)), input_required(6, "8", q1, 5, 2)}));
  EXPECT_EQ(t.closes(6), stateless_effects{});
  EXPECT_EQ(t.retries(7, 5, 1, a1), stateless_effects{refused(7, "8", -32602, invalid_state)});
  EXPECT_EQ(t.retries(7, 5, 2, a1), stateless_effects{asks_server(result("1", accepted))});
}

TEST(parked_calls, ask_again_when_an_answer_is_none) {
  parked_call_driver t;
  t.server(question("1"));
  std::uint64_t round = 0;
  for (auto bad : {"null", "7", "{}", R"({"action":"odd"})"}) {
    ++round;
    EXPECT_EQ(t.retries(round + 10, 5, round, R"("q1":)" + std::string{bad}),
              stateless_effects{input_required(round + 10, "8", q1, 5, round + 1)});
  }
  EXPECT_EQ(t.retries_with(20, R"("name":"p","inputResponses":null,"requestState":")" + state_of(5, 5) + "\""),
            stateless_effects{input_required(20, "8", q1, 5, 6)});
  EXPECT_EQ(t.retries_with(21, R"("name":"p","requestState":")" + state_of(5, 6) + "\""),
            stateless_effects{input_required(21, "8", q1, 5, 7)});
}

TEST(parked_calls, pass_answers_on_as_they_came) {
  parked_call_driver t;
  t.server(question("1"));
  EXPECT_EQ(t.retries(6, 5, 1, R"("q1":{ "action":"decline","x":1.0 })"),
            stateless_effects{asks_server(result("1", R"({ "action":"decline","x":1.0 })"))});
}

TEST(parked_calls, are_answered_by_the_retry_when_the_server_did_not_wait) {
  parked_call_driver t;
  t.server(question("1"));
  EXPECT_EQ(t.server(result("5")), stateless_effects{asks_server(result("1", R"({"action":"cancel"})"))});
  EXPECT_EQ(t.server(result("5")), stateless_effects{});
  EXPECT_EQ(t.it.parked_calls(), 1u);
  EXPECT_EQ(t.server(question("2")), stateless_effects{asks_server(error_text("2", -32602, nobody))});
  EXPECT_EQ(t.retries(6, 5, 1, ""), stateless_effects{completes(6, "8")});
  EXPECT_TRUE(t.it.is_idle());
}

TEST(parked_calls, keep_the_first_answer) {
  parked_call_driver t;
  t.server(question("1"));
  t.server(result("5"));
  EXPECT_EQ(t.server(failed("5", "late")), stateless_effects{});
  EXPECT_EQ(t.retries(6, 5, 1, ""), stateless_effects{completes(6, "8")});
}

TEST(parked_calls, keep_an_answer_of_so_many_bytes_and_no_more) {
  auto rules = adapter_rules();
  rules.waiting_bytes = 1000;
  auto params = modern("7", "prompts/get", R"("name":"p")").size() - request("7", "prompts/get", "").size();
  auto left = 1000 - params - std::string{"7prompts/get"}.size();
  auto answer_of = [](std::size_t bytes) {
    return result("5", '"' + std::string(bytes - result("5", "\"\"").size(), 'x') + '"');
  };
  for (auto [bytes, error] :
       {std::pair{left, "a result that is no object"}, std::pair{left + 1, "too much to be kept"}}) {
    parked_call_driver t{rules};
    t.server(question("1"));
    t.server(answer_of(bytes));
    auto seen = t.retries(6, 5, 1, "");
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_NE(std::get<send_response>(seen[0]).text.find(error), std::string::npos) << bytes;
  }
}

// -- client of a retry -----------------------------------------------------------------

TEST(parked_calls, refuse_a_retry_whose_client_cannot_be_asked_what_they_wait_for) {
  parked_call_driver t;
  t.server(question("1"));
  t.can = {.url = true, .sampling = true, .roots = true};
  auto why = "The client does not declare what the call that it retries asks of it";
  EXPECT_EQ(t.retries(6, 5, 1, ""),
            stateless_effects{answered(
                6, error_text("8", -32021, why, R"({"requiredCapabilities":{"elicitation":{"form":{}}}})"), -32021)});
  EXPECT_EQ(t.it.parked_calls(), 1u);
  t.can = {.form = true};
  EXPECT_EQ(t.retries(7, 5, 1, a1), stateless_effects{asks_server(result("1", accepted))});
}

TEST(parked_calls, are_asked_no_more_than_the_latest_retry_declares) {
  parked_call_driver t;
  t.server(question("1"));
  t.can = {.form = true};
  t.retries(6, 5, 1, a1);
  EXPECT_EQ(t.server(question("2", "sampling/createMessage")),
            (stateless_effects{asks_server(error_text("2", -32601, undeclared)),
                               lacks(6, "8", "sampling/createMessage", R"({"sampling":{}})"),
                               asks_server(cancellation_of("5", "The client cannot be asked this").text)}));
}

TEST(parked_calls, are_answered_and_cancelled_on_behalf_of_who_sent_the_retry) {
  parked_call_driver t;
  t.server(question("1"));
  t.requester = std::make_shared<const principal>();
  auto answers = t.retries(6, 5, 1, a1);
  auto cancels = t.closes(6);
  for (auto& seen : {answers, cancels})
    EXPECT_EQ(std::get<forward_to_server>(seen.at(0)).what.requester, t.requester);
}

// -- withdrawn questions ---------------------------------------------------------------

TEST(parked_calls, wait_for_the_server_when_it_withdraws_its_only_question) {
  parked_call_driver t;
  t.server(question("\"q\""));
  EXPECT_EQ(t.server(cancelled("\"q\"")), stateless_effects{});
  EXPECT_EQ(t.retries(6, 5, 1, a1), stateless_effects{});
  EXPECT_EQ(t.server(result("5")), stateless_effects{completes(6, "8")});
}

TEST(parked_calls, do_not_ask_again_what_the_server_has_withdrawn) {
  parked_call_driver t;
  t.server(question("1"));
  t.server(question("2"));
  t.server(cancelled("1"));
  EXPECT_EQ(t.retries(6, 5, 1, a1), stateless_effects{input_required(6, "8", q2, 5, 2)});
}

// -- time --------------------------------------------------------------------------------

TEST(parked_calls, are_given_up_when_their_client_does_not_come_back) {
  parked_call_driver t;
  t.server(question("1"));
  t.server(question("2", "sampling/createMessage"));
  t.server(question("3", "roots/list"));
  EXPECT_EQ(t.it.deadline(), t.now + 600s);
  EXPECT_EQ(t.after(600s - 1ms), stateless_effects{});
  const auto why = "The client did not answer in time";
  EXPECT_EQ(t.after(1ms),
            (stateless_effects{
                asks_server(result("1", R"({"action":"cancel"})")), asks_server(error_text("2", -1, why)),
                asks_server(error_text("3", -32603, why)),
                asks_server(cancellation_of("5", "The client did not come back with its answers in time").text)}));
  EXPECT_TRUE(t.it.is_idle());
  EXPECT_EQ(t.it.deadline(), time_point::max());
  EXPECT_EQ(t.retries(6, 5, 1, a1), stateless_effects{refused(6, "8", -32602, invalid_state)});
}

TEST(parked_calls, that_the_server_has_answered_are_forgotten_in_silence) {
  parked_call_driver t;
  t.server(question("1"));
  t.server(result("5"));
  EXPECT_EQ(t.after(600s), stateless_effects{});
  EXPECT_TRUE(t.it.is_idle());
}

TEST(parked_calls, have_all_the_time_again_with_each_round) {
  parked_call_driver t;
  t.server(question("1"));
  t.after(599s);
  t.retries(6, 5, 1, "");
  EXPECT_EQ(t.after(599s), stateless_effects{});
  EXPECT_EQ(t.retries(7, 5, 2, a1), stateless_effects{asks_server(result("1", accepted))});
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(parked_calls, tell_a_server_that_wants_to_know_that_they_still_wait) {
  parked_call_driver t;
  t.server(
      question("1", "elicitation/create", R"({"_meta":{"progressToken":"p"},"message":"?","requestedSchema":{}})"));
  t.server(question("2"));
  EXPECT_EQ(t.it.deadline(), t.now + 20s);
  EXPECT_EQ(t.after(20s - 1ms), stateless_effects{});
  EXPECT_EQ(t.after(1ms), stateless_effects{asks_server(progress("\"p\"", "1"))});
  EXPECT_EQ(t.after(20s), stateless_effects{asks_server(progress("\"p\"", "2"))});
  t.server(cancelled("1"));
  EXPECT_EQ(t.after(20s), stateless_effects{});
  EXPECT_EQ(t.it.deadline(), t.now + 540s);
}
} // namespace troupe::tests::parked_calls_test

// The outcome of `initialize`, and the messages allowed before and after it.

#include "protocol/session/agreement.hpp"
#include "tests/support/session_driver.hpp"

namespace troupe::tests::agreement_test {

namespace {

post_body body(std::string text) { return std::get<post_body>(read_body(std::move(text))); }

agreement reached(std::string version = "2025-11-25") {
  agreement it;
  it.begin(gateway_message(hello("0", version)));
  EXPECT_EQ(it.answered(gateway_message(welcome("1", version))), std::nullopt);
  return it;
}

agreement asked() {
  agreement it;
  it.begin(gateway_message(hello("0")));
  return it;
}

std::string refused(const agreement& it, const std::string& text) {
  auto why = it.refuse(body(text));
  return why ? why->text : "";
}

} // namespace

// -- start of a stream ---------------------------------------------------------------------

TEST(agreement, asks_the_server_for_what_the_client_asks_for) {
  for (auto version : {"2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"})
    EXPECT_EQ(agreement{}.begin(gateway_message(hello("0", version))).text, hello("0", version));
  auto silent = request("0", "initialize");
  EXPECT_EQ(agreement{}.begin(gateway_message(silent)).text, silent);
}

TEST(agreement, asks_the_server_for_the_newest_revision_instead_of_one_that_is_not_known) {
  for (auto version : {"2099-01-01", "2026-07-28", ""})
    EXPECT_EQ(agreement{}.begin(gateway_message(hello("0", version))).text, hello("0", "2025-11-25"));
}

TEST(agreement, is_reached_on_any_known_revision_that_the_server_answers_with) {
  auto it = asked();
  EXPECT_TRUE(it.is_under_way());
  EXPECT_EQ(it.answered(gateway_message(welcome("1", "2024-11-05"))), std::nullopt);
  EXPECT_TRUE(it.is_reached());
  EXPECT_FALSE(it.is_under_way());
  EXPECT_EQ(it.version(), "2024-11-05");
}

TEST(agreement, is_not_reached_with_a_server_that_refuses_or_answers_with_an_unknown_revision) {
  const std::string unknown = "The MCP server answered initialize with a protocol version that is not known";
  EXPECT_EQ(asked().answered(gateway_message(failed("1", "no"))), "its server refused to initialize");
  EXPECT_EQ(asked().answered(gateway_message(result("1"))), unknown);
  EXPECT_EQ(asked().answered(gateway_message(welcome("1", "2099-01-01"))), unknown);
  EXPECT_EQ(asked().answered(gateway_message(result("1", R"({"protocolVersion":7})"))), unknown);
}

TEST(agreement, of_another_life_asks_for_the_revision_that_the_client_speaks_and_takes_no_other) {
  for (auto& answer : {welcome("1", "2025-11-25"), failed("1", "no"), result("1")}) {
    agreement it;
    EXPECT_EQ(it.begin_again(hello("0", "2025-11-25"), "2025-06-18").text, hello("0", "2025-06-18"));
    EXPECT_EQ(it.answered(gateway_message(answer)), "its new server did not initialize as the one before");
    EXPECT_FALSE(it.is_reached());
  }
  agreement it;
  it.begin_again(hello("0"), "2025-06-18");
  EXPECT_EQ(it.answered(gateway_message(welcome("1", "2025-06-18"))), std::nullopt);
  EXPECT_TRUE(it.is_reached());
}

// -- permissions ---------------------------------------------------------------------------

TEST(agreement, allows_batches_in_the_one_revision_that_has_them) {
  auto batch = "[" + request("1", "m") + "]";
  EXPECT_EQ(refused(reached("2025-03-26"), batch), "");
  for (auto version : {"2024-11-05", "2025-06-18", "2025-11-25"})
    EXPECT_EQ(refused(reached(version), batch), "Bad Request: this session's revision has no batches") << version;
  EXPECT_EQ(refused(agreement{}, batch), "Bad Request: this session's revision has no batches");
}

TEST(agreement, allows_batches_of_responses_alone_or_of_others) {
  auto it = reached("2025-03-26");
  EXPECT_EQ(refused(it, "[" + result("1") + "," + result("2") + "]"), "");
  EXPECT_EQ(refused(it, "[" + request("1", "m") + "," + note("notifications/n") + "]"), "");
  EXPECT_EQ(refused(it, "[" + result("1") + "," + note("notifications/n") + "]"),
            "Bad Request: a batch of responses has nothing else");
}

// JSON-RPC 2.0, section 4.1
TEST(agreement, allows_no_request_without_an_id_and_no_notification_with_one) {
  const std::string call = R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"x"}})";
  const std::string why = "Invalid Request: a request needs an id, and a notification begins with notifications/";
  EXPECT_EQ(refused(reached(), call), why);
  EXPECT_EQ(refused(agreement{}, call), why);
  EXPECT_EQ(refused(reached("2025-03-26"), "[" + request("1", "tools/list") + "," + call + "]"), why);
  EXPECT_EQ(refused(reached(), request("1", "notifications/cancelled")), "Invalid Request: a notification has no id");
}

TEST(agreement, allows_initialize_once_and_alone) {
  EXPECT_EQ(refused(agreement{}, hello("0")), "");
  for (auto& it : {asked(), reached()})
    EXPECT_EQ(refused(it, hello("7")), "Bad Request: this session is already initialized");
  EXPECT_EQ(refused(reached("2025-03-26"), "[" + hello("7") + "]"), "Bad Request: initialize is never part of a batch");
}

// 2025-11-25, lifecycle, "Initialization"
TEST(agreement, lets_nothing_but_a_request_come_before_initialize) {
  for (auto& first : {initialized, cancelled("1"), progress("1"), result("1"), failed("1", "no")}) {
    EXPECT_EQ(refused(agreement{}, first), "Bad Request: initialize comes first");
    EXPECT_EQ(refused(asked(), first), "");
    EXPECT_EQ(refused(reached(), first), "");
  }
  EXPECT_EQ(refused(agreement{}, request("1", "ping")), "");
}

TEST(agreement, finds_requests_too_early_until_the_server_has_answered) {
  auto call = gateway_message(request("1", "m"));
  auto first = gateway_message(hello("0"));
  EXPECT_TRUE(agreement{}.is_too_early(call));
  EXPECT_FALSE(agreement{}.is_too_early(first));
  EXPECT_TRUE(asked().is_too_early(call));
  EXPECT_FALSE(reached().is_too_early(call));
}

TEST(agreement, lets_the_server_speak_once_it_is_reached_and_ask_once_the_client_is_initialized) {
  auto question = gateway_message(request("1", "roots/list"));
  auto notice = gateway_message(note("notifications/n"));
  EXPECT_TRUE(asked().must_wait(notice));
  auto it = reached();
  EXPECT_FALSE(it.must_wait(notice));
  EXPECT_TRUE(it.must_wait(question));
  it.client_initialized();
  EXPECT_FALSE(it.must_wait(question));
}

TEST(agreement, allows_the_server_what_the_client_declared_and_anything_before) {
  agreement it;
  EXPECT_TRUE(it.allows("sampling/createMessage"));
  it.begin(gateway_message(hello("0", "2025-11-25", R"({"roots":{}})")));
  EXPECT_TRUE(it.allows("roots/list"));
  EXPECT_FALSE(it.allows("sampling/createMessage"));
  agreement again;
  again.begin_again(hello("0", "2025-11-25", R"({"roots":{}})"), "2025-11-25");
  EXPECT_FALSE(again.allows("sampling/createMessage"));
}

} // namespace troupe::tests::agreement_test

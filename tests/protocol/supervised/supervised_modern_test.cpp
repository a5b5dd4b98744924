// A shared 2026-07-28 server: each request has the envelope of its user.

#include "tests/support/server_driver.hpp"

#include <algorithm>

namespace troupe::tests::supervised_modern_test {

namespace {

/// Shared once it is known to be a 2026-07-28 server; until then dedicated to one user.
const supervision_rules by_era{.dedicated = true, .ends_users = true, .shares_modern = true};
/// A server known to be a 2026-07-28 server.
const supervision_rules for_all{.shares_modern = true};
const std::string elicits = R"({"elicitation":{}})";

server_effects greets(server_driver& t, const std::string& own, const std::string& with = greeting) {
  auto modern = gateway_message(result(own, with));
  modern.claims_modern = true;
  return t.it.server_sent(std::move(modern), t.now);
}

/// Two users: the first has no capabilities, the second has some.
void open_for_two(server_driver& t) {
  t.user(1, hello("0", "2025-11-25", "{}"));
  greets(t, "1");
  t.user(2, hello("0", "2025-06-18", elicits));
}

/// The envelope of the last message, as the server would read it; empty without one.
std::string envelope_in(const server_effects& those) {
  auto& last = std::get<send_to_server>(those.back());
  return last.envelope ? last.envelope->addressed(last.what, "1").text : "";
}

bool declares(const std::string& envelope, const std::string& capabilities) {
  return envelope.find(R"(/clientCapabilities":)" + capabilities) != envelope.npos;
}

/// A request as a lease forwards it.
message modern_request(const std::string& id, const std::string& method, const std::string& meta = {}) {
  auto one = gateway_message(request(id, method,
                                     R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                                     R"("io.modelcontextprotocol/clientCapabilities":{})" +
                                         meta + "}}"));
  one.claims_modern = true;
  return one;
}
const std::string logs_from_debug = R"(,"io.modelcontextprotocol/logLevel":"debug")";

} // namespace

// -- shared and dedicated servers -------------------------------------------------------

TEST(server_shared_by_era, becomes_one_for_many_when_it_greets_as_modern) {
  server_driver t{by_era};
  EXPECT_EQ(t.user(1, hello("5")), (server_effects{start_server{}, to_server(hello("1")), shows(phase::starting)}));
  EXPECT_EQ(t.user(2, hello("6")),
            (server_effects{to_user(2, failed("6", "The MCP server is not there for this: initialize comes first"))}));
  EXPECT_EQ(greets(t, "1"), (server_effects{note_sharing{true}, shows(phase::ready), to_server(our_note("initialized")),
                                            to_user(1, result("5", greeting))}));
  EXPECT_EQ(t.user(2, hello("6")), (server_effects{to_user(2, result("6", greeting))}));
  EXPECT_EQ(t.leaves(1), server_effects{});
  EXPECT_EQ(t.it.users(), 1u);
}

TEST(server_shared_by_era, stays_its_users_when_it_greets_as_one_with_sessions) {
  server_driver t{by_era};
  t.user(1, hello("5"));
  EXPECT_EQ(t.server(result("1", greeting)),
            (server_effects{note_sharing{false}, shows(phase::ready), to_user(1, result("5", greeting))}));
  EXPECT_EQ(t.user(2, hello("6")),
            (server_effects{to_user(2, failed("6", "The MCP server is not there for this: initialize comes first"))}));
  EXPECT_EQ(t.lost(), (server_effects{end_user{1, "gone"}, shows(phase::idle, 0, "gone")}));
}

TEST(server_shared_by_era, is_settled_by_its_first_start) {
  auto rules = by_era;
  rules.ends_users = false;
  server_driver t{rules};
  t.opened();
  t.lost();
  t.after(1s);
  auto effects = greets(t, "2");
  EXPECT_EQ(std::count_if(effects.begin(), effects.end(),
                          [](auto& one) { return std::holds_alternative<note_sharing>(one); }),
            0);
  EXPECT_EQ(t.user(2, hello("6")),
            (server_effects{to_user(2, failed("6", "The MCP server is not there for this: initialize comes first"))}));
}

TEST(server_shared_by_era, is_started_again_for_all_by_an_initialize_of_the_gateway) {
  server_driver t{by_era};
  open_for_two(t);
  t.user(1, request("7", "tools/call"));
  t.user(2, request("7", "tools/call"));
  auto again = gateway_message(initialize_text("4", {}));
  EXPECT_EQ(t.lost(), (server_effects{to_user(1, failed("7", "The MCP server stopped: gone")),
                                      to_user(2, failed("7", "The MCP server stopped: gone")), start_server{},
                                      send_to_server{again}, shows(phase::starting, 1, "gone")}));
  greets(t, "4");
  EXPECT_TRUE(declares(envelope_in(t.user(1, request("8", "tools/call"))), "{}"));
  EXPECT_TRUE(declares(envelope_in(t.user(2, request("8", "tools/call"))), R"({"elicitation":{"form":{}}})"));
}

TEST(server_shared_by_era, ends_its_users_with_its_loss_where_that_is_wanted) {
  auto rules = by_era;
  rules.ends_sharing_users = true;
  server_driver t{rules};
  open_for_two(t);
  EXPECT_EQ(t.lost(), (server_effects{end_user{1, "gone"}, end_user{2, "gone"}, shows(phase::idle, 0, "gone")}));
}

TEST(server_shared_by_era, is_of_no_use_to_many_as_one_with_sessions) {
  for (const bool was_modern : {false, true}) {
    server_driver t{for_all};
    t.user(1, hello("0"));
    t.user(2, hello("0"));
    auto own = std::string{"1"};
    if (was_modern) {
      greets(t, "1");
      t.lost();
      t.after(1s);
      own = "2";
    }
    auto effects = t.server(result(own, greeting));
    ASSERT_FALSE(effects.empty());
    auto why = "it speaks another revision than before";
    EXPECT_EQ(effects.front(), server_effect{stop_server{}});
    for (user_id user : {1, 2})
      EXPECT_EQ(std::count(effects.begin(), effects.end(), server_effect{end_user{user, why}}), 1);
    EXPECT_EQ(t.it.users(), 0u);
    t.after(1min);
    t.user(3, hello("0"));
    EXPECT_EQ(t.server(result(was_modern ? "3" : "2", greeting)).front(), server_effect{stop_server{}});
  }
}

// -- request of a log message -----------------------------------------------------------

TEST(modern_server_of_many, hears_with_each_request_what_its_user_can_be_asked) {
  server_driver t{for_all};
  open_for_two(t);
  EXPECT_TRUE(declares(envelope_in(t.user(1, request("7", "tools/call"))), "{}"));
  EXPECT_TRUE(declares(envelope_in(t.user(2, request("7", "tools/call"))), R"({"elicitation":{"form":{}}})"));
}

TEST(modern_server_of_many, answers_each_user_in_its_version) {
  server_driver t{for_all};
  t.user(1, hello("0", "2024-11-05"));
  auto oldest = R"({"protocolVersion":"2024-11-05","capabilities":{"tools":{}}})";
  EXPECT_EQ(greets(t, "1", oldest).back(), (server_effect{to_user(1, result("0", oldest))}));
  EXPECT_EQ(t.user(2, hello("0")), (server_effects{to_user(2, result("0", greeting))}));
  EXPECT_EQ(t.user(3, hello("0", "2099-01-01")), (server_effects{to_user(3, result("0", greeting))}));
}

TEST(modern_server_of_many, is_told_of_nobody_when_it_has_sessions_or_one_user) {
  server_driver shared{supervision_rules{}};
  shared.opened();
  EXPECT_EQ(envelope_in(shared.user(1, request("7", "tools/call"))), "");
  server_driver dedicated{{.dedicated = true}};
  dedicated.user(1, hello("0"));
  greets(dedicated, "1");
  EXPECT_EQ(envelope_in(dedicated.user(1, request("7", "tools/call"))), "");
}

TEST(modern_server_of_many, gets_requests_of_its_own_revision_whatever_they_are_about) {
  server_driver t{for_all};
  open_for_two(t);
  auto asked = modern_request("\"a\"", "tasks/get");
  auto told = t.it.user_sent(2, message{asked}, t.now);
  EXPECT_EQ(told,
            (server_effects{send_to_server{relayed(asked, "2", {}), std::get<send_to_server>(told.back()).envelope}}));
  EXPECT_EQ(t.server(result("2")), (server_effects{to_user(2, result("\"a\""))}));
}

TEST(modern_server_of_many, tells_nobody_of_tasks_by_itself) {
  server_driver t{for_all};
  open_for_two(t);
  t.user(1, request("7", "tools/call"));
  for (const auto* method : {"notifications/tasks", "notifications/tasks/status"})
    EXPECT_EQ(t.server(note(method)), server_effects{}) << "it does not say whose they are";
}

// -- subscriptions ----------------------------------------------------------------------

TEST(modern_server_of_many, bounds_the_subscriptions_of_each_user_without_regard_to_the_others) {
  auto rules = for_all;
  rules.subscriptions = 3;
  server_driver t{rules};
  open_for_two(t);
  for (auto number = 1; number <= 3; ++number) {
    auto uri = "a:" + std::to_string(number);
    auto told = t.user(1, subscribe("7", uri));
    auto own = std::to_string(number + 1);
    EXPECT_NE(envelope_in(told).find("resources/subscribe"), std::string::npos) << "it comes with whose it is";
    EXPECT_EQ(t.server(result(own)), (server_effects{to_user(1, result("7"))}));
  }
  EXPECT_EQ(t.user(1, subscribe("7", "a:4")),
            (server_effects{to_user(1, failed("7", std::string{too_many_subscriptions}))}));
  for (auto number = 1; number <= 3; ++number)
    EXPECT_NE(envelope_in(t.user(2, subscribe(std::to_string(number), "b:" + std::to_string(number)))), "");
  EXPECT_EQ(t.user(2, subscribe("7", "b:4")),
            (server_effects{to_user(2, failed("7", std::string{too_many_subscriptions}))}));
}

TEST(modern_server_of_many, is_told_again_whose_the_subscriptions_are) {
  server_driver t{for_all};
  open_for_two(t);
  t.user(2, subscribe("7", "a:b"));
  t.server(result("2"));
  t.lost();
  auto effects = greets(t, "3");
  auto is_it = [](auto& one) {
    auto* told = std::get_if<send_to_server>(&one);
    return told && told->what.is_method("resources/subscribe");
  };
  auto again = std::ranges::find_if(effects, is_it);
  ASSERT_NE(again, effects.end());
  EXPECT_TRUE(declares(envelope_in({*again}), R"({"elicitation":{"form":{}}})"));
}

// -- log messages -----------------------------------------------------------------------

TEST(modern_server_of_many, is_asked_for_log_messages_by_each_request) {
  server_driver t{for_all};
  open_for_two(t);
  EXPECT_EQ(std::get<send_to_server>(t.user(2, set_level("7", "warning")).back()).what.text, set_level("2", "warning"));
  EXPECT_EQ(t.server(result("2")), (server_effects{to_user(2, result("7"))}));
  auto level = R"("io.modelcontextprotocol/logLevel":"warning")";
  EXPECT_EQ(envelope_in(t.user(1, request("8", "tools/call"))).find(level), std::string::npos);
  EXPECT_NE(envelope_in(t.user(2, request("8", "tools/call"))).find(level), std::string::npos);
}

TEST(modern_server_of_many, has_no_level_that_it_refused) {
  server_driver t{for_all};
  open_for_two(t);
  t.user(2, set_level("7", "warning"));
  EXPECT_EQ(t.server(failed("2", "no")), (server_effects{to_user(2, failed("7", "no"))}));
  EXPECT_EQ(envelope_in(t.user(2, request("8", "tools/call"))).find("logLevel"), std::string::npos);
}

TEST(modern_server_of_many, remembers_a_level_that_is_set_while_it_is_not_there) {
  server_driver t{for_all};
  open_for_two(t);
  t.lost();
  t.lost();
  EXPECT_EQ(t.user(2, set_level("7", "warning")), (server_effects{to_user(2, result("7"))}));
  t.after(1min);
  greets(t, "3");
  EXPECT_NE(envelope_in(t.user(2, request("8", "tools/call"))).find(R"(/logLevel":"warning")"), std::string::npos);
}

TEST(modern_server_of_many, logs_for_the_only_user_that_may_have_asked_for_it) {
  server_driver t{for_all};
  open_for_two(t);
  t.user(2, set_level("1", "warning"));
  t.server(result("2"));
  t.user(1, request("8", "tools/call"));
  EXPECT_EQ(t.server(logs("error")), server_effects{});
  t.user(2, request("8", "tools/call"));
  EXPECT_EQ(t.server(logs("error")), (server_effects{to_user(2, logs("error"))}));
  EXPECT_EQ(t.server(logs("info")), server_effects{});
  t.it.user_sent(1, modern_request("9", "tools/call", logs_from_debug), t.now);
  EXPECT_EQ(t.server(logs("info")), (server_effects{to_user(1, logs("info"))}));
  EXPECT_EQ(t.server(logs("error")), server_effects{}) << "it may be about either";
  t.server(result("4"));
  EXPECT_EQ(t.server(logs("error")), (server_effects{to_user(1, logs("error"))}));
}

TEST(modern_server_of_many, logs_for_the_user_whose_request_a_message_concerns) {
  server_driver t{for_all};
  open_for_two(t);
  t.it.user_sent(1, modern_request("7", "tools/call", logs_from_debug), t.now);
  t.it.user_sent(2, modern_request("7", "tools/call", logs_from_debug), t.now);
  t.user(2, request("8", "tools/call"));
  EXPECT_EQ(t.server(logs("info")), server_effects{});
  EXPECT_EQ(t.server(logs("info"), "2"), (server_effects{to_user(1, logs("info"))}));
  EXPECT_EQ(t.server(logs("info"), "3"), (server_effects{to_user(2, logs("info"))}));
  EXPECT_EQ(t.server(logs("info"), "4"), server_effects{}) << "which has asked for none";
  t.user(1, cancelled("7"));
  EXPECT_EQ(t.server(logs("info"), "2"), server_effects{});
  EXPECT_EQ(t.server(logs("info"), "3"), (server_effects{to_user(2, logs("info"))}));
}

TEST(modern_server_of_many, logs_nothing_less_severe_than_the_request_has_asked_for) {
  server_driver t{for_all};
  open_for_two(t);
  t.user(2, set_level("1", "warning"));
  t.server(result("2"));
  t.user(2, request("8", "tools/call"));
  EXPECT_EQ(t.server(logs("notice"), "3"), server_effects{});
  EXPECT_EQ(t.server(logs("warning"), "3"), (server_effects{to_user(2, logs("warning"))}));
  EXPECT_EQ(t.server(logs("error"), "3"), (server_effects{to_user(2, logs("error"))}));
}

TEST(modern_server_of_many, logs_for_nobody_as_long_as_a_cancelled_request_of_another_may_go_on) {
  server_driver t{for_all};
  open_for_two(t);
  t.it.user_sent(1, modern_request("7", "tools/call", logs_from_debug), t.now);
  t.it.user_sent(2, modern_request("7", "tools/call", logs_from_debug), t.now);
  t.user(1, cancelled("7"));
  EXPECT_EQ(t.server(logs("info")), server_effects{});
  t.now += 30s;
  t.after(0s);
  EXPECT_EQ(t.server(logs("info")), (server_effects{to_user(2, logs("info"))}));
}

} // namespace troupe::tests::supervised_modern_test

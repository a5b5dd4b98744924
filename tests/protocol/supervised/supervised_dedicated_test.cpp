// A server with a single user.

#include "tests/support/server_driver.hpp"

namespace troupe::tests::supervised_dedicated_test {

namespace {

supervision_rules dedicated() { return {.dedicated = true}; }

} // namespace

// -- the beginning --------------------------------------------------------------

TEST(dedicated_server, gets_the_initialize_of_its_user) {
  server_driver t{dedicated()};
  EXPECT_EQ(t.user(1, hello("\"x\"")), (server_effects{start_server{}, to_server(hello("1")), shows(phase::starting)}));
  EXPECT_EQ(t.server(welcome("1", "2024-11-05")),
            (server_effects{shows(phase::ready), to_user(1, welcome("\"x\"", "2024-11-05"))}));
  EXPECT_EQ(t.user(1, initialized), (server_effects{to_server(initialized)}));
  EXPECT_EQ(t.user(1, initialized), server_effects{});
}

TEST(dedicated_server, makes_progress_with_initialize) {
  server_driver t{dedicated()};
  EXPECT_EQ(t.user(1, request_with("\"p\"", "0", "initialize")),
            (server_effects{start_server{}, to_server(request_with("1", "1", "initialize")), shows(phase::starting)}));
  EXPECT_EQ(t.server(progress("1")), (server_effects{to_user(1, progress("\"p\""))}));
  EXPECT_EQ(t.it.deadline(), t.now + 30s);
}

TEST(dedicated_server, is_not_started_before_it_is_used) {
  server_driver t{dedicated()};
  EXPECT_EQ(t.it.warm_up(t.now), server_effects{});
}

TEST(dedicated_server, has_one_user) {
  server_driver t{dedicated()};
  t.opened();
  EXPECT_EQ(t.user(2, hello("0")),
            (server_effects{to_user(2, failed("0", "The MCP server is not there for this: initialize comes first"))}));
  EXPECT_EQ(t.it.users(), 1u);
}

TEST(dedicated_server, answers_a_further_initialize_itself) {
  server_driver t{dedicated()};
  t.opened();
  EXPECT_EQ(t.user(1, hello("9")), (server_effects{to_user(1, result("9", greeting))}));
}

TEST(dedicated_server, stops_when_its_user_leaves) {
  server_driver t{dedicated()};
  t.opened();
  t.user(1, request("7", "m"));
  EXPECT_EQ(t.leaves(1), (server_effects{stop_server{}, shows(phase::idle)}));
  EXPECT_EQ(t.server(result("2")), server_effects{});
  EXPECT_EQ(t.lost(), server_effects{});
  EXPECT_EQ(t.it.calls_in_flight(), 0u);
  EXPECT_EQ(t.it.deadline(), time_point::max());
  EXPECT_EQ(t.user(2, hello("0")), (server_effects{start_server{}, to_server(hello("3")), shows(phase::starting)}));
}

// -- between nodes ------------------------------------------------------------------

TEST(dedicated_server, tells_its_user_all_that_it_says) {
  server_driver t{dedicated()};
  t.opened();
  for (auto text : {logs("debug"), updated("a"), list_changed("tools"), note("notifications/custom")})
    EXPECT_EQ(t.server(text), (server_effects{to_user(1, text)}));
  EXPECT_EQ(t.server(request("\"q\"", "roots/list")), (server_effects{to_user(1, request("1", "roots/list"))}));
  EXPECT_EQ(t.user(1, failed("1", "no")), (server_effects{to_server(failed("\"q\"", "no"))}));
}

TEST(dedicated_server, is_told_all_that_its_user_says) {
  server_driver t{dedicated()};
  t.opened();
  EXPECT_EQ(t.user(1, note("notifications/roots/list_changed")),
            (server_effects{to_server(note("notifications/roots/list_changed"))}));
  EXPECT_EQ(t.user(1, set_level("1", "loud")), (server_effects{to_server(set_level("2", "loud"))}));
  EXPECT_EQ(t.user(1, set_level("2", "info")), (server_effects{to_server(set_level("3", "info"))}));
  EXPECT_EQ(t.user(1, set_level("3", "info")), (server_effects{to_server(set_level("4", "info"))}));
  EXPECT_EQ(t.user(1, subscribe("4", "a")), (server_effects{to_server(subscribe("5", "a"))}));
  EXPECT_EQ(t.user(1, subscribe("5", "a")), (server_effects{to_server(subscribe("6", "a"))}));
  EXPECT_EQ(t.user(1, cancelled("5")), (server_effects{to_server(cancelled("6"))}));
  EXPECT_EQ(t.user(1, unsubscribe("6", "b")), (server_effects{to_server(unsubscribe("7", "b"))}));
  EXPECT_EQ(t.server(result("7")), (server_effects{to_user(1, result("6"))}));
}

// -- loss --------------------------------------------------------------------------------

TEST(dedicated_server, is_told_again_what_it_has_to_know) {
  server_driver t{dedicated()};
  t.opened();
  t.user(1, set_level("1", "info"));
  t.user(1, subscribe("2", "a"));
  t.user(1, subscribe("3", "b"));
  t.user(1, subscribe("4", "c"));
  t.server(result("2"));
  t.server(result("3"));
  t.server(failed("4", "no"));
  t.server(result("5"));
  t.user(1, unsubscribe("5", "c"));
  t.server(result("6"));
  EXPECT_EQ(t.lost(), (server_effects{start_server{}, to_server(hello("7")), shows(phase::starting, 1, "gone")}));
  EXPECT_EQ(t.server(result("7", greeting)),
            (server_effects{shows(phase::ready, 1, "gone"), to_server(our_note("initialized")),
                            to_server(set_level("8", "info")), to_server(subscribe("9", "a")),
                            to_user(1, list_changed_again("tools"))}));
  EXPECT_EQ(t.server(result("8")), server_effects{});
  EXPECT_EQ(t.server(result("9")), server_effects{});
  EXPECT_EQ(t.user(1, initialized), server_effects{});
}

TEST(dedicated_server, is_initialized_once_when_it_was_lost_before_its_user_said_so) {
  server_driver t{dedicated()};
  t.user(1, hello("0"));
  t.server(result("1", greeting));
  t.lost();
  EXPECT_EQ(t.user(1, initialized), server_effects{});
  EXPECT_EQ(t.server(result("2", greeting)),
            (server_effects{shows(phase::ready, 1, "gone"), to_server(our_note("initialized")),
                            to_user(1, list_changed_again("tools"))}));
}

// 2025-11-25, lifecycle, "Initialization"
TEST(dedicated_server, is_initialized_by_a_user_who_did_not_wait_for_its_answer) {
  server_driver t{dedicated()};
  t.user(1, hello("0"));
  EXPECT_EQ(t.user(1, initialized), server_effects{});
  EXPECT_EQ(t.user(1, note("notifications/x")), server_effects{});
  EXPECT_EQ(t.server(result("1", greeting)),
            (server_effects{shows(phase::ready), to_user(1, result("0", greeting)), to_server(initialized),
                            to_server(note("notifications/x"))}));
  EXPECT_EQ(t.user(1, initialized), server_effects{});
}

TEST(dedicated_server, says_which_notifications_find_no_room_while_it_starts) {
  auto rules = dedicated();
  rules.calls = 2;
  server_driver t{rules};
  t.user(1, hello("0"));
  EXPECT_EQ(t.user(1, initialized), server_effects{});
  EXPECT_EQ(
      t.user(1, note("notifications/x")),
      (server_effects{log_note{log_note::weight::warning,
                               "a message was dropped, as too much waits for the server to start: notifications/x"}}));
}

TEST(dedicated_server, may_be_initialized_again_after_it_refused) {
  server_driver t{dedicated()};
  t.user(1, hello("0"));
  EXPECT_EQ(t.server(error_text("1", -32000, "not yet")),
            (server_effects{stop_server{}, to_user(1, error_text("0", -32000, "not yet")), start_server{},
                            to_server(hello("2")), shows(phase::starting, 1, "it refused to initialize: not yet")}));
  EXPECT_EQ(t.user(1, hello("5")), server_effects{});
  EXPECT_EQ(
      t.server(result("2", greeting)),
      (server_effects{shows(phase::ready, 1, "it refused to initialize: not yet"), to_user(1, result("5", greeting))}));
  EXPECT_EQ(t.user(1, initialized), (server_effects{to_server(initialized)}));
}

TEST(dedicated_server, tells_a_user_who_could_not_initialize_that_it_can) {
  server_driver t{dedicated()};
  t.user(1, hello("0"));
  t.lost("no such file");
  EXPECT_EQ(t.server(result("2", greeting)),
            (server_effects{shows(phase::ready, 1, "no such file"), to_server(our_note("initialized")),
                            to_user(1, list_changed_again("tools"))}));
  EXPECT_EQ(t.user(1, hello("1")), (server_effects{to_user(1, result("1", greeting))}));
  EXPECT_EQ(t.user(1, initialized), server_effects{});
}

TEST(dedicated_server, may_end_its_user_instead) {
  server_driver t{{.dedicated = true, .ends_users = true}};
  t.opened();
  t.user(1, request("7", "m"));
  EXPECT_EQ(t.lost("exit 1"), (server_effects{to_user(1, failed("7", "The MCP server stopped: exit 1")),
                                              end_user{1, "exit 1"}, shows(phase::idle, 0, "exit 1")}));
  EXPECT_EQ(t.it.users(), 0u);
  EXPECT_EQ(t.leaves(1), server_effects{});
  EXPECT_EQ(t.user(1, initialized), server_effects{});
}

TEST(dedicated_server, is_late_with_what_cannot_have_questions_though_its_user_is_asked) {
  server_driver t{{.dedicated = true, .request = 5min, .question = 10min}};
  t.opened();
  t.user(1, request("7", "tools/list"));
  t.user(1, request("8", "resources/read"));
  t.server(request("\"q\"", "elicitation/create"));
  EXPECT_EQ(t.it.deadline(), t.now + 5min);
  t.after(5min);
  EXPECT_EQ(t.it.deadline(), t.now + 5min);
}

TEST(dedicated_server, is_not_late_with_a_call_while_its_user_is_asked) {
  server_driver t{{.dedicated = true, .request = 5min, .question = 10min}};
  t.opened();
  t.user(1, request("7", "tools/call"));
  t.now += 4min;
  t.server(request("\"q\"", "elicitation/create"));
  EXPECT_EQ(t.it.deadline(), t.now + 10min);
  EXPECT_EQ(t.after(10min - 1ns), server_effects{});
}

TEST(dedicated_server, has_the_time_of_a_new_request_again_once_the_last_question_is_answered) {
  server_driver t{{.dedicated = true, .request = 5min, .question = 10min}};
  t.opened();
  t.user(1, request("7", "tools/call"));
  t.server(request("\"q\"", "elicitation/create"));
  t.server(request("\"r\"", "elicitation/create"));
  t.now += 6min;
  t.user(1, result("1"));
  EXPECT_EQ(t.it.deadline(), t.now + 4min);
  t.now += 1min;
  t.user(1, result("2"));
  EXPECT_EQ(t.it.deadline(), t.now + 5min);
  EXPECT_EQ(t.after(5min - 1ns), server_effects{});
  EXPECT_EQ(t.after(1ns), (server_effects{to_user(1, failed("7", "The MCP server did not answer within 300 s")),
                                          to_server(cancellation_of("2", "timeout").text)}));
}

TEST(dedicated_server, has_the_time_of_a_new_request_again_once_a_question_is_withdrawn) {
  server_driver t{{.dedicated = true, .request = 5min, .question = 10min}};
  t.opened();
  t.user(1, request("7", "tools/call"));
  t.server(request("\"q\"", "elicitation/create"));
  t.now += 1min;
  t.server(cancelled("\"q\""));
  EXPECT_EQ(t.it.deadline(), t.now + 5min);
}

TEST(dedicated_server, has_the_time_of_a_new_request_again_once_a_question_is_late) {
  server_driver t{{.dedicated = true, .request = 5min, .question = 10min}};
  t.opened();
  t.user(1, request("7", "tools/call"));
  t.server(request("\"q\"", "elicitation/create"));
  t.after(10min);
  EXPECT_EQ(t.it.deadline(), t.now + 5min);
}

TEST(dedicated_server, is_late_by_the_cap_alone_while_its_user_is_asked) {
  server_driver t{{.dedicated = true, .request = 5min, .request_cap = 9min, .question = 8min}};
  t.opened();
  t.server(request_with("\"p\"", "\"q\"", "elicitation/create"));
  t.user(1, request_with("\"p\"", "7", "tools/call"));
  t.after(7min);
  t.server(progress("2"));
  t.user(1, progress("1"));
  EXPECT_EQ(t.it.deadline(), t.now + 2min);
  t.user(1, result("1"));
  EXPECT_EQ(t.it.deadline(), t.now + 2min);
}

TEST(dedicated_server, forgets_who_was_asked_when_it_starts_again) {
  server_driver t{{.dedicated = true, .request = 5min, .question = 10min}};
  t.opened();
  t.user(1, request("7", "tools/call"));
  t.server(request("\"q\"", "elicitation/create"));
  t.lost();
  t.after(1s);
  t.server(result("3", greeting));
  t.user(1, request("8", "tools/call"));
  EXPECT_EQ(t.it.deadline(), t.now + 5min);
}

// -- another revision -----------------------------------------------------------------

TEST(dedicated_server, ends_its_user_when_it_no_longer_takes_what_it_took) {
  server_driver t{dedicated()};
  auto modern = gateway_message(result("1", greeting));
  modern.claims_modern = true;
  t.user(1, hello("0"));
  auto greeted = t.it.server_sent(std::move(modern), t.now);
  EXPECT_TRUE(std::get<send_to_user>(greeted.back()).what.claims_modern);
  t.lost();
  t.after(1s);
  auto ended = t.server(result("2", greeting));
  EXPECT_NE(std::find(ended.begin(), ended.end(), server_effect{end_user{1, "it speaks another revision than before"}}),
            ended.end());
  EXPECT_EQ(t.it.users(), 0u);
}

} // namespace troupe::tests::supervised_dedicated_test

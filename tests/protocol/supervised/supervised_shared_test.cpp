// A server that is shared by several users.

#include "protocol/message/subscribed_uris.hpp"
#include "tests/support/server_driver.hpp"

namespace troupe::tests::supervised_shared_test {
namespace {

const std::string ours = R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
                         R"("capabilities":{"sampling":{},"elicitation":{"form":{},"url":{}}},)"
                         R"("clientInfo":{"name":"troupe","version":"7"}}})";
const std::string not_plain = "It is not plain which client this is for: ";

} // namespace

// -- the beginning --------------------------------------------------------------

TEST(shared_server, is_started_by_the_first_initialize_with_one_of_the_gateway) {
  server_driver t{{.version = "7"}};
  EXPECT_EQ(t.user(1, hello("5")), (server_effects{start_server{}, to_server(ours), shows(phase::starting)}));
  EXPECT_EQ(t.user(2, hello("5", "2024-11-05")), server_effects{});
  EXPECT_EQ(t.user(2, request("6", "tools/list")), server_effects{});
  EXPECT_EQ(t.server(result("1", greeting)),
            (server_effects{shows(phase::ready), to_server(our_note("initialized")), to_user(1, result("5", greeting)),
                            to_user(2, result("5", R"({"protocolVersion":"2024-11-05","capabilities":{"tools":{}}})")),
                            to_server(request("2", "tools/list"))}));
}

TEST(shared_server, is_started_by_nothing_but_an_initialize) {
  server_driver t;
  EXPECT_EQ(t.user(1, request("1", "m")),
            (server_effects{to_user(1, failed("1", "The MCP server is not there for this: initialize comes first"))}));
  EXPECT_EQ(t.user(1, initialized), server_effects{});
  EXPECT_EQ(t.user(1, result("1")), server_effects{});
  EXPECT_EQ(t.it.users(), 0u);
}

TEST(shared_server, may_be_started_before_it_is_used) {
  server_driver t{{.version = "7"}};
  EXPECT_EQ(t.it.warm_up(t.now), (server_effects{start_server{}, to_server(ours), shows(phase::starting)}));
  EXPECT_EQ(t.it.warm_up(t.now), server_effects{});
  EXPECT_EQ(t.server(result("1", greeting)), (server_effects{shows(phase::ready), to_server(our_note("initialized"))}));
  EXPECT_EQ(t.user(1, hello("5")), (server_effects{to_user(1, result("5", greeting))}));
}

TEST(shared_server, answers_an_initialize_from_its_own_result) {
  server_driver t;
  t.opened();
  EXPECT_EQ(t.user(2, hello("\"x\"", "2099-01-01")), (server_effects{to_user(2, result("\"x\"", greeting))}));
  EXPECT_EQ(t.user(2, initialized), server_effects{});
  EXPECT_EQ(t.user(2, note("notifications/roots/list_changed")), server_effects{});
  EXPECT_EQ(t.user(2, note("notifications/custom")), (server_effects{to_server(note("notifications/custom"))}));
}

TEST(shared_server, keeps_running_without_users) {
  server_driver t;
  t.opened();
  EXPECT_EQ(t.leaves(1), server_effects{});
  EXPECT_EQ(t.it.users(), 0u);
  EXPECT_EQ(t.user(2, hello("5")), (server_effects{to_user(2, result("5", greeting))}));
}

// -- requests --------------------------------------------------------------------

TEST(shared_server, answers_only_who_asked) {
  server_driver t;
  t.opened(2);
  EXPECT_EQ(t.user(1, request("7", "a")), (server_effects{to_server(request("2", "a"))}));
  EXPECT_EQ(t.user(2, request("7", "b")), (server_effects{to_server(request("3", "b"))}));
  EXPECT_EQ(t.it.calls_in_flight(), 2u);
  EXPECT_EQ(t.server(result("3", "33")), (server_effects{to_user(2, result("7", "33"))}));
  EXPECT_EQ(t.server(failed("2", "no")), (server_effects{to_user(1, failed("7", "no"))}));
  for (auto stray : {"2", "3", "4", "0", "\"x\"", "-1"})
    EXPECT_EQ(t.server(result(stray)), server_effects{}) << stray;
  EXPECT_EQ(t.it.calls_in_flight(), 0u);
}

TEST(shared_server, tells_progress_to_who_wants_it) {
  server_driver t;
  t.opened(2);
  EXPECT_EQ(t.user(1, request_with("\"p\"", "7", "a")), (server_effects{to_server(request_with("2", "2", "a"))}));
  t.user(2, request("7", "b"));
  EXPECT_EQ(t.server(progress("2")), (server_effects{to_user(1, progress("\"p\""))}));
  EXPECT_EQ(t.server(progress("3")), server_effects{});
  t.server(result("2"));
  EXPECT_EQ(t.server(progress("2")), server_effects{});
}

TEST(shared_server, is_told_of_a_cancellation_of_just_that_request) {
  server_driver t;
  t.opened(2);
  t.user(1, request("7", "a"));
  t.user(2, request("7", "b"));
  EXPECT_EQ(t.user(2, cancelled("7")), (server_effects{to_server(cancelled("3"))}));
  EXPECT_EQ(t.user(2, cancelled("7")), server_effects{});
  EXPECT_EQ(t.server(result("3")), server_effects{});
  EXPECT_EQ(t.server(result("2")), (server_effects{to_user(1, result("7"))}));
}

TEST(shared_server, drops_what_waits_when_it_is_cancelled_but_no_initialize) {
  server_driver t;
  t.user(1, hello("0"));
  t.user(1, request("1", "m"));
  EXPECT_EQ(t.user(1, cancelled("0")), server_effects{});
  EXPECT_EQ(t.user(1, cancelled("1")), server_effects{});
  EXPECT_EQ(t.it.calls_in_flight(), 2u);
  EXPECT_EQ(t.server(result("1", greeting)), (server_effects{shows(phase::ready), to_server(our_note("initialized")),
                                                             to_user(1, result("0", greeting))}));
}

TEST(shared_server, answers_ping_itself_on_both_sides) {
  server_driver t;
  t.opened();
  EXPECT_EQ(t.user(1, request("7", "ping")), (server_effects{to_user(1, result("7"))}));
  EXPECT_EQ(t.server(request("\"x\"", "ping")), (server_effects{to_server(result("\"x\""))}));
}

TEST(shared_server, bounds_the_calls_of_each_user) {
  server_driver t{{.calls = 2}};
  t.opened(2);
  t.user(1, request("1", "m"));
  EXPECT_EQ(t.user(1, request("2", "m")), (server_effects{to_server(request("3", "m"))}));
  EXPECT_EQ(t.user(1, request("3", "m")),
            (server_effects{to_user(1, failed("3", "Too many requests to the MCP server are in flight"))}));
  EXPECT_EQ(t.user(2, request("3", "m")), (server_effects{to_server(request("4", "m"))}));
  t.server(result("2"));
  EXPECT_EQ(t.user(1, request("4", "m")), (server_effects{to_server(request("5", "m"))}));
}

TEST(shared_server, bounds_what_waits_for_it_to_start) {
  const auto n = note("notifications/n");
  server_driver t{{.waiting_bytes = 2 * hello("0").size() + 2 * n.size()}};
  t.user(1, hello("0"));
  t.user(1, n), t.user(1, n);
  EXPECT_EQ(t.user(2, hello("0")), server_effects{});
  EXPECT_EQ(t.user(1, note("notifications/m")).size(), 1u); // the log reports it
  EXPECT_EQ(t.user(1, request("3", "m")),
            (server_effects{to_user(1, failed("3", "Too much waits for the MCP server to start"))}));
  EXPECT_EQ(t.server(result("1", greeting)),
            (server_effects{shows(phase::ready), to_server(our_note("initialized")), to_user(1, result("0", greeting)),
                            to_server(n), to_server(n), to_user(2, result("0", greeting))}));
}

TEST(shared_server, is_told_when_a_user_with_calls_leaves) {
  server_driver t;
  t.opened(2);
  t.user(1, request("7", "a"));
  t.user(2, request("7", "b"));
  EXPECT_EQ(t.leaves(1), (server_effects{to_server(cancellation_of("2", "the client left").text)}));
  EXPECT_EQ(t.leaves(1), server_effects{});
  EXPECT_EQ(t.server(result("2")), server_effects{});
  EXPECT_EQ(t.server(result("3")), (server_effects{to_user(2, result("7"))}));
}

// -- time ---------------------------------------------------------------------------

TEST(shared_server, fails_what_is_not_answered_in_time) {
  server_driver t{{.request = 5s, .request_cap = 8s}};
  t.opened();
  t.user(1, request_with("1", "7", "a"));
  EXPECT_EQ(t.it.deadline(), t.now + 5s);
  EXPECT_EQ(t.after(5s - 1ns), server_effects{});
  t.server(progress("2"));
  EXPECT_EQ(t.it.deadline(), t.now + 3s + 1ns);
  EXPECT_EQ(t.after(3s), server_effects{});
  EXPECT_EQ(t.after(1ns), (server_effects{to_user(1, failed("7", "The MCP server did not answer within 8 s")),
                                          to_server(timed_out("2"))}));
  EXPECT_EQ(t.server(result("2")), server_effects{});
  t.user(1, request("8", "a"));
  EXPECT_EQ(t.after(5s), (server_effects{to_user(1, failed("8", "The MCP server did not answer within 5 s")),
                                         to_server(timed_out("3"))}));
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

// -- questions ------------------------------------------------------------------------

TEST(shared_server, asks_the_only_user_who_waits_for_it) {
  server_driver t;
  t.opened(2);
  t.user(2, request("7", "a"));
  EXPECT_EQ(t.server(request_with("\"t\"", "\"q\"", "elicitation/create")),
            (server_effects{to_user(2, request_with("1", "1", "elicitation/create"))}));
  EXPECT_EQ(t.user(2, progress("1")), (server_effects{to_server(progress("\"t\""))}));
  EXPECT_EQ(t.user(1, progress("1")), server_effects{});
  EXPECT_EQ(t.user(1, result("1")), server_effects{});
  EXPECT_EQ(t.user(2, result("1", "{\"a\":1}")), (server_effects{to_server(result("\"q\"", "{\"a\":1}"))}));
  EXPECT_EQ(t.user(2, result("1")), server_effects{});
}

TEST(shared_server, asks_nobody_when_it_is_not_plain_whom) {
  server_driver t;
  t.opened(2);
  EXPECT_EQ(t.server(request("1", "q")),
            (server_effects{to_server(failed("1", not_plain + "none has a request in flight"))}));
  EXPECT_EQ(t.server(note("notifications/custom")), server_effects{});
  t.user(1, request("7", "a"));
  EXPECT_EQ(t.server(note("notifications/custom")), (server_effects{to_user(1, note("notifications/custom"))}));
  t.user(2, request("7", "a"));
  EXPECT_EQ(t.server(request("1", "q")),
            (server_effects{to_server(failed("1", not_plain + "several have a request in flight"))}));
  EXPECT_EQ(t.server(note("notifications/custom")), server_effects{});
}

TEST(shared_server, takes_a_question_back) {
  server_driver t;
  t.opened();
  t.user(1, request("7", "a"));
  t.server(request("\"q\"", "q"));
  EXPECT_EQ(t.server(cancelled("\"other\"")), server_effects{});
  EXPECT_EQ(t.server(cancelled("\"q\"")), (server_effects{to_user(1, cancelled("1"))}));
  EXPECT_EQ(t.user(1, result("1")), server_effects{});
}

TEST(shared_server, is_told_when_who_was_asked_leaves) {
  server_driver t;
  t.opened();
  t.user(1, request("7", "a"));
  t.server(request("\"q\"", "q"));
  EXPECT_EQ(t.leaves(1), (server_effects{to_server(cancellation_of("2", "the client left").text),
                                         to_server(failed("\"q\"", "The client left"))}));
  EXPECT_EQ(t.it.questions_in_flight(), 0u);
}

TEST(shared_server, is_told_when_a_question_is_not_answered_in_time) {
  server_driver t{{.question = 10s}};
  t.opened();
  t.user(1, request("7", "a"));
  t.server(request("\"q\"", "q"));
  EXPECT_EQ(t.after(10s - 1ns), server_effects{});
  EXPECT_EQ(t.after(1ns), (server_effects{to_server(failed("\"q\"", "The client did not answer in time")),
                                          to_user(1, timed_out("1"))}));
}

TEST(shared_server, has_a_bounded_number_of_questions) {
  server_driver t{{.questions = 2}};
  t.opened();
  t.user(1, request("7", "a"));
  t.server(request("1", "q"));
  EXPECT_EQ(t.server(request("2", "q")), (server_effects{to_user(1, request("2", "q"))}));
  EXPECT_EQ(t.server(request("3", "q")),
            (server_effects{to_server(failed("3", "Too many requests wait for the client"))}));
  t.user(1, result("1"));
  EXPECT_EQ(t.server(request("4", "q")), (server_effects{to_user(1, request("3", "q"))}));
}

// -- notifications --------------------------------------------------------------------

TEST(shared_server, tells_all_users_that_a_list_changed) {
  server_driver t;
  t.opened(2);
  EXPECT_EQ(t.server(list_changed("tools")),
            (server_effects{to_user(1, list_changed("tools")), to_user(2, list_changed("tools"))}));
}

TEST(shared_server, tells_updates_to_subscribers_only) {
  server_driver t;
  t.opened(3);
  EXPECT_EQ(t.user(1, subscribe("7", "a")), (server_effects{to_server(subscribe("2", "a"))}));
  EXPECT_EQ(t.user(2, subscribe("7", "a")), server_effects{});
  EXPECT_EQ(t.server(result("2")), (server_effects{to_user(1, result("7")), to_user(2, result("7"))}));
  EXPECT_EQ(t.server(updated("a")), (server_effects{to_user(1, updated("a")), to_user(2, updated("a"))}));
  EXPECT_EQ(t.server(updated("b")), server_effects{});
  EXPECT_EQ(t.user(1, unsubscribe("8", "a")), (server_effects{to_user(1, result("8"))}));
  EXPECT_EQ(t.server(updated("a")), (server_effects{to_user(2, updated("a"))}));
  EXPECT_EQ(t.leaves(2), (server_effects{to_server(unsubscribe("3", "a"))}));
  EXPECT_EQ(t.server(result("3")), server_effects{});
  EXPECT_EQ(t.it.calls_in_flight(), 0u);
}

TEST(shared_server, gives_the_fate_of_a_subscription_to_all_who_waited_for_it) {
  server_driver t;
  t.opened(2);
  t.user(1, subscribe("7", "a"));
  t.user(2, subscribe("9", "a"));
  EXPECT_EQ(t.server(failed("2", "no")),
            (server_effects{to_user(1, failed("7", "no")), to_user(2, failed("9", "no"))}));
  EXPECT_EQ(t.server(updated("a")), server_effects{});
  EXPECT_EQ(t.user(2, subscribe("10", "a")), (server_effects{to_server(subscribe("3", "a"))}));
}

TEST(shared_server, undoes_a_subscription_that_came_too_late) {
  server_driver t{{.request = 5s}};
  t.opened();
  t.user(1, subscribe("7", "a"));
  EXPECT_EQ(t.after(5s), (server_effects{to_user(1, failed("7", "The MCP server did not answer within 5 s")),
                                         to_server(timed_out("2")), to_server(unsubscribe("3", "a"))}));
}

TEST(shared_server, subscribes_on_for_others_when_the_first_cancels_or_leaves) {
  server_driver t;
  t.opened(3);
  t.user(1, subscribe("7", "a"));
  t.user(2, subscribe("8", "a"));
  t.user(3, subscribe("9", "a"));
  EXPECT_EQ(t.user(1, cancelled("7")), server_effects{});
  EXPECT_EQ(t.user(3, cancelled("9")), server_effects{});
  EXPECT_EQ(t.leaves(1), server_effects{});
  EXPECT_EQ(t.server(result("2")), (server_effects{to_user(2, result("8"))}));
  EXPECT_EQ(t.server(updated("a")), (server_effects{to_user(2, updated("a"))}));
}

TEST(shared_server, bounds_the_subscriptions_of_each_user_and_their_uris) {
  server_driver t{{.subscriptions = 2}};
  t.opened();
  t.user(1, subscribe("1", "a"));
  EXPECT_EQ(t.user(1, subscribe("2", "b")), (server_effects{to_server(subscribe("3", "b"))}));
  EXPECT_EQ(t.user(1, subscribe("3", "c")),
            (server_effects{to_user(1, failed("3", std::string{too_many_subscriptions}))}));
  server_driver other;
  other.opened();
  auto most = std::string(longest_subscribed_uri, 'u');
  EXPECT_EQ(other.user(1, subscribe("1", most)), (server_effects{to_server(subscribe("2", most))}));
  EXPECT_EQ(other.user(1, subscribe("2", most + "u")),
            (server_effects{to_user(1, error_text("2", -32602, "The URI is too long to be subscribed to"))}));
}

TEST(shared_server, logs_to_each_user_what_it_asked_for) {
  server_driver t;
  t.opened(3);
  EXPECT_EQ(t.user(1, set_level("7", "warning")), (server_effects{to_server(set_level("2", "warning"))}));
  EXPECT_EQ(t.server(result("2")), (server_effects{to_user(1, result("7"))}));
  EXPECT_EQ(t.user(2, set_level("7", "error")), (server_effects{to_user(2, result("7"))}));
  EXPECT_EQ(t.server(logs("warning")), (server_effects{to_user(1, logs("warning")), to_user(3, logs("warning"))}));
  EXPECT_EQ(t.server(logs("debug")), server_effects{});
  EXPECT_EQ(t.server(logs("odd")),
            (server_effects{to_user(1, logs("odd")), to_user(2, logs("odd")), to_user(3, logs("odd"))}));
  EXPECT_EQ(t.user(1, set_level("8", "alert")),
            (server_effects{to_server(set_level("3", "error")), to_user(1, result("8"))}));
  EXPECT_EQ(t.server(result("3")), server_effects{});
  EXPECT_EQ(t.leaves(2), (server_effects{to_server(set_level("4", "alert"))}));
}

TEST(shared_server, forgets_a_level_that_was_refused_and_knows_no_other_levels) {
  server_driver t;
  t.opened(2);
  EXPECT_EQ(t.user(1, set_level("7", "loud")),
            (server_effects{to_user(1, error_text("7", -32602, "Unknown log level"))}));
  t.user(1, set_level("8", "error"));
  EXPECT_EQ(t.server(failed("2", "no")), (server_effects{to_user(1, failed("8", "no"))}));
  EXPECT_EQ(t.server(logs("debug")), (server_effects{to_user(1, logs("debug")), to_user(2, logs("debug"))}));
}

// -- tools -------------------------------------------------------------------------------

TEST(shared_server, hides_tools_that_are_not_allowed) {
  server_driver t{{.tools = {{}, {"rm*"}}}};
  t.opened();
  t.user(1, request("7", "tools/list"));
  EXPECT_EQ(t.server(result("2", R"({"tools":[{"name":"rm"},{"name":"ls"}]})")),
            (server_effects{to_user(1, result("7", R"({"tools":[{"name":"ls"}]})"))}));
  EXPECT_EQ(t.user(1, request("8", "tools/call", R"({"name":"rm"})")),
            (server_effects{to_user(1, error_text("8", -32602, "Unknown tool: rm"))}));
  EXPECT_EQ(t.user(1, request("9", "tools/call", R"({"name":"ls"})")),
            (server_effects{to_server(request("3", "tools/call", R"({"name":"ls"})"))}));
}

// -- state of departed users ---------------------------------------------------------------

TEST(shared_server, asks_nobody_while_it_may_be_at_a_call_that_another_cancelled) {
  server_driver t;
  t.opened(2);
  t.user(1, request("7", "tools/call"));
  t.user(2, request("7", "tools/call"));
  t.user(1, cancelled("7"));
  auto why =
      "another client cancelled a request within the last 30 seconds that has no answer, so it may be for that one";
  EXPECT_EQ(t.server(request("1", "elicitation/create")), (server_effects{to_server(failed("1", not_plain + why))}));
  EXPECT_EQ(t.server(result("2")), server_effects{});
  auto put = t.server(request("\"r\"", "elicitation/create"));
  ASSERT_EQ(put.size(), 1u);
  EXPECT_EQ(std::get<send_to_user>(put.front()).user, 2u);
}

TEST(shared_server, asks_again_when_the_time_of_a_cancelled_call_is_over) {
  server_driver t;
  t.opened(2);
  t.user(1, request("7", "tools/call"));
  t.leaves(1);
  t.user(2, request("7", "tools/call"));
  t.after(30s - 1ns);
  EXPECT_EQ(std::get<send_to_server>(t.server(request("\"p\"", "elicitation/create")).front()).what.id, "\"p\"");
  t.after(1ns);
  auto put = t.server(request("\"q\"", "elicitation/create"));
  ASSERT_EQ(put.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<send_to_user>(put.front()));
}

TEST(shared_server, offers_no_tasks) {
  server_driver t;
  t.user(1, hello("0"));
  auto told =
      t.server(result("1", R"({"protocolVersion":"2025-11-25","capabilities":{"tasks":{"list":{}},"tools":{}}})"));
  EXPECT_EQ(
      told.back(),
      (server_effect{to_user(1, result("0", R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}}})"))}));
  auto none = [](std::string id) { return to_user(1, error_text(id, -32601, "A shared server offers no tasks")); };
  EXPECT_EQ(t.user(1, request("1", "tasks/list")), (server_effects{none("1")}));
  EXPECT_EQ(t.user(1, request("2", "tools/call", R"({"name":"a","task":{}})")), (server_effects{none("2")}));
}
} // namespace troupe::tests::supervised_shared_test

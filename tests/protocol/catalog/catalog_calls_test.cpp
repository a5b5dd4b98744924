// Calls, progress, cancellation and server requests between one client and several servers.

#include "tests/support/catalog_driver.hpp"

namespace troupe::tests::catalog_calls_test {

namespace {

std::string refused(std::string id, std::string why) { return error_text(id, -32603, why); }

/// Ready servers a and b. Our next id is 3.
struct two : catalog_driver {
  explicit two(catalog_limits limits = {}) : catalog_driver{{fresh(1, "a"), fresh(2, "b")}, std::move(limits)} {
    opened();
  }
  /// The client calls a tool of a server, and asks for progress.
  void calls(std::string id, std::string server) {
    says(request(id, "tools/call", named(server + "__x", R"(,"_meta":{"progressToken":)" + id + "}")));
  }
};

} // namespace

TEST(catalog_calls, are_answered_once_by_the_server_that_was_asked) {
  two t;
  t.calls("9", "a");
  EXPECT_EQ(t.server(2, result("3")), catalog_effects{});
  EXPECT_EQ(t.server(1, result("\"3\"")), (catalog_effects{client(result("9"))}));
  EXPECT_EQ(t.server(1, result("3")), catalog_effects{});
  for (auto stray : {"99", "0", "-1", "\"x\""})
    EXPECT_EQ(t.server(1, result(stray)), catalog_effects{});
  EXPECT_EQ(t.server(7, result("3")), catalog_effects{});
}

TEST(catalog_calls, of_a_method_that_says_not_whose_it_is_are_refused) {
  two t;
  EXPECT_EQ(t.says(request("9", "tasks/get")),
            (catalog_effects{client(error_text("9", -32601, "Method not found: tasks/get"))}));
}

TEST(catalog_calls, of_any_method_go_to_a_server_that_is_alone) {
  catalog_driver t{{fresh(1, "a")}};
  t.opened();
  EXPECT_EQ(t.says(request("9", "tasks/get")), (catalog_effects{to(1, request("2", "tasks/get"))}));
  EXPECT_EQ(t.server(1, result("2")), (catalog_effects{client(result("9"))}));
}

TEST(catalog_calls, have_progress_under_the_clients_token) {
  two t;
  t.calls("9", "a");
  EXPECT_EQ(t.server(1, progress("3", "0.50")), (catalog_effects{client(progress("9", "0.50"))}));
  EXPECT_EQ(t.server(2, progress("3")), catalog_effects{});
  t.server(1, result("3"));
  EXPECT_EQ(t.server(1, progress("3")), catalog_effects{});
}

TEST(catalog_calls, have_no_progress_that_the_client_did_not_want) {
  two t;
  t.says(request("9", "tools/call", named("a__x")));
  EXPECT_EQ(t.server(1, progress("3")), catalog_effects{});
  t.says(request_with("10", "10", "tools/list"));
  EXPECT_EQ(t.server(1, progress("4")), catalog_effects{});
}

TEST(catalog_calls, are_cancelled_where_they_are) {
  two t;
  t.calls("9", "a");
  t.calls("10", "b");
  auto with_reason = note("notifications/cancelled", R"({"reason":"bored","requestId":10})");
  EXPECT_EQ(t.says(with_reason),
            (catalog_effects{to(2, note("notifications/cancelled", R"({"reason":"bored","requestId":4})"))}));
  EXPECT_EQ(t.server(2, result("4")), catalog_effects{});
  EXPECT_EQ(t.says(cancelled("10")), catalog_effects{});
  EXPECT_EQ(t.says(note("notifications/cancelled")), catalog_effects{});
  EXPECT_EQ(t.server(1, result("3")), (catalog_effects{client(result("9"))}));
}

TEST(catalog_calls, are_bounded) {
  two t{{.calls = 2}};
  t.calls("9", "a");
  EXPECT_EQ(
      t.says(request("9", "tools/list")),
      (catalog_effects{client(error_text("9", -32600, "Bad Request: a request with this id is already in flight"))}));
  t.calls("10", "a");
  EXPECT_EQ(t.says(request("11", "tools/list")),
            (catalog_effects{client(refused("11", "Too many calls are in flight"))}));
  t.server(1, result("3"));
  EXPECT_EQ(t.says(request("11", "tools/list")).size(), 2U);
}

TEST(catalog_calls, fail_when_their_server_is_lost) {
  two t;
  t.calls("9", "a");
  t.calls("10", "b");
  EXPECT_EQ(t.lost(1, "it crashed"), (catalog_effects{client(refused("9", "it crashed"))}));
  EXPECT_EQ(t.server(1, result("3")), catalog_effects{});
  EXPECT_EQ(t.server(2, result("4")), (catalog_effects{client(result("10"))}));
  EXPECT_EQ(t.lost(7), catalog_effects{});
}

TEST(catalog_calls, start_a_server_again_that_was_lost) {
  two t;
  t.lost(1);
  t.calls("9", "a");
  EXPECT_EQ(t.server(1, result("4", can_all)),
            (catalog_effects{member_known{1, can_all}, initializes(1),
                             to(1, request("3", "tools/call", R"({"name":"x","_meta":{"progressToken":3}})")),
                             client(changed("tools")), client(changed("prompts")), client(changed("resources"))}));
}

TEST(catalog_calls, fail_when_their_server_is_lost_while_it_starts) {
  two t;
  t.lost(1);
  t.calls("9", "a");
  t.says(request("10", "resources/read", at_uri("troupe://a/x")));
  EXPECT_EQ(t.lost(1, "again"), (catalog_effects{client(refused("9", "again")), client(refused("10", "again"))}));
}

TEST(catalog_calls, end_with_a_server_whose_loss_ends_the_session) {
  auto vital = fresh(1, "a");
  vital.ends_session = true;
  catalog_driver t{{vital, fresh(2, "b")}};
  t.opened().says(request("9", "tools/call", named("a__x")));
  EXPECT_EQ(t.lost(1, "it crashed"), (catalog_effects{client(refused("9", "it crashed")), end_catalog{"it crashed"}}));
  EXPECT_EQ(t.says(request("10", "ping")), catalog_effects{});
  EXPECT_EQ(t.server(2, changed("tools")), catalog_effects{});
  EXPECT_EQ(t.lost(2), catalog_effects{});
  EXPECT_EQ(t.change({}), catalog_effects{});
  EXPECT_EQ(t.after(1h), catalog_effects{});
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

// -- requests and notifications of servers --------------------------------------------

TEST(catalog_questions, of_servers_with_equal_ids_are_told_apart) {
  two t;
  EXPECT_EQ(t.server(1, request_with("\"p\"", "1", "roots/list")),
            (catalog_effects{client(request_with("3", "3", "roots/list"))}));
  EXPECT_EQ(t.server(2, request("1", "roots/list")), (catalog_effects{client(request("4", "roots/list"))}));
  EXPECT_EQ(t.says(result("4", "{\"b\":1}")), (catalog_effects{to(2, result("1", "{\"b\":1}"))}));
  EXPECT_EQ(t.says(progress("3")), (catalog_effects{to(1, progress("\"p\""))}));
  EXPECT_EQ(t.says(error_text("3", -1, "no")), (catalog_effects{to(1, error_text("1", -1, "no"))}));
  for (auto stray : {"3", "4", "99"}) {
    EXPECT_EQ(t.says(result(stray)), catalog_effects{});
    EXPECT_EQ(t.says(progress(stray)), catalog_effects{});
  }
}

TEST(catalog_questions, can_be_about_the_calls_of_their_server_only) {
  two t;
  t.calls("9", "a");
  t.calls("10", "b");
  auto told = t.server(2, request("\"q\"", "roots/list"));
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(t.it.calls_of(std::get<send_to_client>(told.front()).what), (std::vector<std::string>{"10"}));
  EXPECT_EQ(t.it.calls_of(gateway_message(request("77", "roots/list"))), std::vector<std::string>{});
}

TEST(catalog_questions, have_no_progress_that_the_server_did_not_want) {
  two t;
  t.server(1, request("1", "roots/list"));
  EXPECT_EQ(t.says(progress("3")), catalog_effects{});
}

TEST(catalog_questions, can_be_withdrawn_by_who_asked) {
  two t;
  t.server(1, request("\"q\"", "roots/list"));
  EXPECT_EQ(t.server(2, cancelled("\"q\"")), catalog_effects{});
  EXPECT_EQ(t.server(1, cancelled("\"q\"")), (catalog_effects{client(cancelled("3"))}));
  EXPECT_EQ(t.says(result("3")), catalog_effects{});
  EXPECT_EQ(t.server(1, note("notifications/cancelled")), catalog_effects{});
}

TEST(catalog_questions, are_withdrawn_when_their_server_is_lost) {
  two t;
  t.server(1, request("1", "roots/list"));
  t.server(2, request("1", "roots/list"));
  EXPECT_EQ(t.lost(1, "gone"), (catalog_effects{client(cancellation_of("3", "gone").text)}));
  EXPECT_EQ(t.says(result("3")), catalog_effects{});
  EXPECT_EQ(t.says(result("4")), (catalog_effects{to(2, result("1"))}));
}

TEST(catalog_questions, are_bounded) {
  two t{{.questions = 2}};
  EXPECT_EQ(t.server(1, request("1", "roots/list")).size(), 1U);
  EXPECT_EQ(t.server(2, request("1", "roots/list")), (catalog_effects{client(request("4", "roots/list"))}));
  EXPECT_EQ(t.server(2, request("2", "roots/list")),
            (catalog_effects{to(2, refused("2", "Too many requests wait for the client"))}));
  EXPECT_EQ(t.it.questions_in_flight(), 2U);
}

TEST(catalog_questions, do_not_include_ping) {
  two t;
  EXPECT_EQ(t.server(1, request("\"p\"", "ping")), (catalog_effects{to(1, result("\"p\""))}));
}

TEST(catalog_notifications, of_servers_pass_as_they_are) {
  two t;
  for (auto& text : {note("notifications/message", R"({"logger":"l","data":{"uri":"x"}})"),
                     note("notifications/elicitation/complete", R"({"elicitationId":"e"})"), note("custom")})
    EXPECT_EQ(t.server(1, text), (catalog_effects{client(text)}));
}

TEST(catalog_notifications, of_the_client_go_to_servers_that_are_initialised) {
  catalog_driver t{{fresh(1, "a"), configured(2, "b"), fresh(3, "c")}};
  t.opened();
  auto text = note("notifications/roots/list_changed");
  EXPECT_EQ(t.says(text), (catalog_effects{to(1, text), to(3, text)}));
}

// -- other servers -----------------------------------------------------------------------

TEST(catalog_change, announces_a_server_that_came) {
  two t;
  EXPECT_EQ(t.change({fresh(1, "a"), fresh(3, "c"), fresh(2, "b")}),
            (catalog_effects{client(changed("tools")), client(changed("prompts")), client(changed("resources"))}));
  EXPECT_EQ(t.says(request("9", "tools/list")),
            (catalog_effects{to(1, request("3", "tools/list")), greets(3, "5"), to(2, request("6", "tools/list"))}));
}

TEST(catalog_change, greets_a_server_that_came_and_is_eager) {
  two t;
  auto eager = configured(3, "c");
  eager.eager = true;
  EXPECT_EQ(t.change({fresh(1, "a"), fresh(2, "b"), eager}).front(), (catalog_effect{greets(3, "3")}));
}

TEST(catalog_change, lets_a_server_that_went_finish_its_calls) {
  two t;
  t.calls("9", "a");
  t.calls("10", "b");
  t.server(1, request("1", "roots/list"));
  EXPECT_EQ(t.change({fresh(2, "b")}),
            (catalog_effects{client(changed("tools")), client(changed("prompts")), client(changed("resources"))}));
  EXPECT_EQ(t.server(1, result("3")),
            (catalog_effects{client(result("9")), client(cancellation_of("5", "The MCP server was removed").text),
                             member_left{1}}));
  EXPECT_EQ(t.server(1, request("2", "ping")), catalog_effects{});
  EXPECT_EQ(t.server(2, result("4")), (catalog_effects{client(result("10"))}));
}

TEST(catalog_change, lets_a_server_go_when_its_last_call_is_cancelled_or_it_is_lost) {
  two t;
  t.calls("9", "a");
  t.calls("10", "b");
  t.change({});
  EXPECT_EQ(t.says(cancelled("9")), (catalog_effects{to(1, cancelled("3")), member_left{1}}));
  EXPECT_EQ(t.lost(2, "gone"), (catalog_effects{client(refused("10", "gone")), member_left{2}}));
}

TEST(catalog_change, does_nothing_to_servers_that_stay) {
  two t;
  t.calls("9", "a");
  EXPECT_EQ(t.change({fresh(1, "a"), fresh(2, "b")}), catalog_effects{});
  EXPECT_EQ(t.server(1, result("3")), (catalog_effects{client(result("9"))}));
}

TEST(catalog_change, finishes_a_list_that_waited_for_a_server_that_went) {
  two t;
  t.says(request("9", "tools/list"));
  t.server(2, result("4", R"({"tools":[{"name":"x"}]})"));
  EXPECT_EQ(t.change({fresh(2, "b")}).front(), (catalog_effect{client(result("9", R"({"tools":[{"name":"b__x"}]})"))}));
}

TEST(catalog_change, answers_initialize_that_waited_for_a_server_that_went) {
  catalog_driver t{{fresh(1, "a")}};
  t.says(hello("0"));
  EXPECT_EQ(t.change({}), (catalog_effects{member_left{1}, client(result("0", presented("{}")))}));
}

TEST(catalog_change, before_initialize_says_nothing) {
  catalog_driver t{{fresh(1, "a")}};
  EXPECT_EQ(t.change({fresh(2, "b")}), (catalog_effects{member_left{1}}));
  EXPECT_EQ(t.says(hello("0")), (catalog_effects{greets(2, "1")}));
}

} // namespace troupe::tests::catalog_calls_test

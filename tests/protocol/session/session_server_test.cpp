// Messages of the server to the client: progress, requests, notifications, and the streams that carry them.

#include "tests/support/session_driver.hpp"

namespace troupe::tests::session_server_test {

namespace {

const std::string log_line = note("notifications/message", R"({"data":"hi"})");
const std::string changed = note("notifications/tools/list_changed");

std::string ask(std::string id) { return request(id, "elicitation/create"); }

} // namespace

// -- progress --------------------------------------------------------------------

TEST(session_progress, goes_to_the_stream_of_its_call_under_the_client_s_token) {
  session_driver t;
  t.opened();
  EXPECT_EQ(t.posts(3, request_with("\"p\"", "1", "m")), (effects{asked(request_with("2", "2", "m"), "2")}));
  t.posts(4, request_with("5", "2", "m"));
  EXPECT_EQ(t.server(progress("3")), (effects{open_stream{4}, says(4, progress("5"))}));
  EXPECT_EQ(t.server(progress("2")), (effects{open_stream{3}, says(3, progress("\"p\""))}));
  EXPECT_EQ(t.server(progress("\"2\"")), (effects{says(3, progress("\"p\""))}));
  EXPECT_EQ(t.server(result("2")), (effects{says(3, result("1")), end_stream{3}}));
  EXPECT_EQ(t.server(result("3")), (effects{says(4, result("2")), end_stream{4}}));
}

TEST(session_progress, goes_to_its_call_even_beside_a_primary_stream) {
  session_driver t;
  t.opened().listens(9);
  t.posts(3, request_with("0", "1", "m"));
  EXPECT_EQ(t.server(progress("2")), (effects{open_stream{3}, says(3, progress("0"))}));
}

// 2025-11-25, progress, "Progress Flow"
TEST(session_progress, of_calls_with_the_same_token_is_not_mixed_up) {
  session_driver t;
  t.opened().posts(3, request_with("7", "1", "m"));
  t.posts(4, request_with("7", "2", "m"));
  EXPECT_EQ(t.server(progress("3")), (effects{open_stream{4}, says(4, progress("7"))}));
}

TEST(session_progress, that_nobody_asked_for_is_dropped) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  t.listens(9);
  for (auto token : {"1", "2", "3", "\"p\"", "true", "null"})
    EXPECT_EQ(t.server(progress(token)), effects{}) << token;
}

// 2025-11-25, progress, "Behavior Requirements" 1
TEST(session_progress, that_comes_after_the_answer_is_dropped) {
  session_driver t;
  t.opened().posts(3, request_with("7", "1", "m"));
  t.server(result("2"));
  EXPECT_EQ(t.server(progress("2")), effects{});
}

TEST(session_progress, of_the_client_goes_to_the_server_under_the_server_s_token) {
  session_driver t;
  t.opened().listens(9);
  EXPECT_EQ(t.server(request_with("\"s\"", "4", "sampling/createMessage")),
            (effects{says(9, request_with("1", "1", "sampling/createMessage"))}));
  EXPECT_EQ(t.posts(3, progress("1")), (effects{accept{3}, forwarded(progress("\"s\""))}));
  t.posts(4, result("1"));
  EXPECT_EQ(t.posts(5, progress("1")), (effects{accept{5}}));
}

TEST(session_progress, of_the_client_that_the_server_did_not_ask_for_is_dropped) {
  session_driver t;
  t.opened().listens(9);
  t.server(ask("4"));
  for (auto token : {"1", "2", "\"x\"", "true"})
    EXPECT_EQ(t.posts(3, progress(token)), (effects{accept{3}})) << token;
}

// -- questions -------------------------------------------------------------------

TEST(session_question, goes_to_the_client_and_its_answer_comes_back_under_the_ids_of_each) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  EXPECT_EQ(t.server(ask("\"q\"")), (effects{open_stream{3}, says(3, ask("1"))}));
  EXPECT_EQ(t.posts(4, result("1", R"({"x":1.0})")), (effects{accept{4}, forwarded(result("\"q\"", R"({"x":1.0})"))}));
}

TEST(session_question, may_be_answered_with_an_error) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  t.server(ask("9"));
  EXPECT_EQ(t.posts(4, error_text("1", -1, "no")), (effects{accept{4}, forwarded(error_text("9", -1, "no"))}));
}

TEST(session_question, is_answered_once) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  t.server(ask("9"));
  t.posts(4, result("1"));
  for (auto& stray : {result("1"), result("9"), result("2"), result("\"x\""), error_text("", -1, "?")})
    EXPECT_EQ(t.posts(5, stray), (effects{accept{5}})) << stray;
}

// 2025-03-26, transports, "Sending Messages to the Server" 3
TEST(session_question, is_answered_in_a_batch) {
  session_driver t;
  t.opened("2025-03-26").listens(9);
  t.server(ask("5"));
  t.server(ask("6"));
  EXPECT_EQ(t.posts(3, "[" + result("2") + "," + result("1") + "]"),
            (effects{accept{3}, forwarded(result("6")), forwarded(result("5"))}));
}

// 2025-11-25, base protocol, "Requests"
TEST(session_question, has_ids_apart_from_those_of_calls) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  t.posts(4, request("2", "m"));
  t.listens(9);
  EXPECT_EQ(t.server(ask("2")), (effects{says(9, ask("1"))}));
  EXPECT_EQ(t.server(cancelled("1")), effects{});
  EXPECT_EQ(t.posts(5, cancelled("1")),
            (effects{accept{5}, forwarded(cancelled("2")), reply{3, error_text("1", -32800, "Request cancelled")}}));
  EXPECT_EQ(t.posts(6, result("1")), (effects{accept{6}, forwarded(result("2"))}));
}

// 2025-11-25, lifecycle, "Initialization"
TEST(session_question, waits_until_the_client_is_initialized) {
  session_driver t;
  t.posts(1, hello("0"));
  EXPECT_EQ(t.server(ask("1")), effects{});
  t.server(welcome("1"));
  t.listens(9);
  EXPECT_EQ(t.server(ask("2")), effects{});
  EXPECT_EQ(t.posts(2, initialized),
            (effects{accept{2}, forwarded(initialized), says(9, ask("1")), says(9, ask("2"))}));
  EXPECT_EQ(t.posts(3, initialized), (effects{accept{3}, forwarded(initialized)}));
  EXPECT_EQ(t.posts(4, result("2")), (effects{accept{4}, forwarded(result("2"))}));
}

TEST(session_question, waits_for_the_answer_of_the_server_when_the_client_does_not) {
  session_driver t;
  t.posts(1, hello("0"));
  t.listens(9);
  t.server(ask("1"));
  EXPECT_EQ(t.posts(2, initialized), (effects{accept{2}}));
  EXPECT_EQ(t.server(ask("2")), effects{});
  EXPECT_EQ(t.server(welcome("1")),
            (effects{reply{1, welcome("0"), true}, forwarded(initialized), says(9, ask("1")), says(9, ask("2"))}));
}

// 2025-11-25, cancellation, "Cancellation Flow"
TEST(session_question, that_waits_can_be_withdrawn) {
  session_driver t;
  t.agreed().listens(9);
  t.server(ask("1"));
  t.server(ask("2"));
  EXPECT_EQ(t.server(cancelled("1")), effects{});
  EXPECT_EQ(t.posts(2, initialized), (effects{accept{2}, forwarded(initialized), says(9, ask("1"))}));
  EXPECT_EQ(t.posts(3, result("1")), (effects{accept{3}, forwarded(result("2"))}));
}

TEST(session_question, that_waits_for_initialized_is_refused_when_too_many_do) {
  session_driver t{{.held = 2}};
  t.agreed();
  EXPECT_EQ(t.server(ask("1")), effects{});
  EXPECT_EQ(t.server(ask("2")), effects{});
  EXPECT_EQ(t.server(ask("3")), (effects{forwarded(failed("3", "Too much waits for the client to initialize"))}));
}

// 2025-11-25, cancellation, "Cancellation Flow"
TEST(session_question, is_withdrawn_on_the_stream_that_carried_it) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  t.server(ask("\"q\""));
  t.listens(9);
  EXPECT_EQ(t.server(cancelled("\"q\"")), (effects{says(3, cancelled("1"))}));
  EXPECT_EQ(t.posts(4, result("1")), (effects{accept{4}}));
  EXPECT_EQ(t.server(cancelled("\"q\"")), effects{});
}

TEST(session_question, is_withdrawn_on_the_primary_when_its_stream_is_over) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  t.server(ask("5"));
  t.server(result("2"));
  t.listens(9);
  EXPECT_EQ(t.server(cancelled("5")), (effects{says(9, cancelled("1"))}));
}

TEST(session_question, is_refused_when_too_many_are_under_way) {
  session_driver t{{.questions = 3}};
  t.opened().listens(9);
  for (auto id : {"1", "2", "3"})
    EXPECT_EQ(t.server(ask(id)), (effects{says(9, ask(id))}));
  EXPECT_EQ(t.server(ask("4")), (effects{forwarded(failed("4", "Too many requests wait for the client"))}));
  t.posts(3, result("2"));
  EXPECT_EQ(t.server(ask("5")), (effects{says(9, ask("4"))}));
}

TEST(session_question, waits_for_a_stream_and_is_refused_when_too_much_waits) {
  session_driver t{{}, {.waiting = 2}};
  t.opened();
  EXPECT_EQ(t.server(ask("1")), effects{});
  EXPECT_EQ(t.server(ask("2")), effects{});
  EXPECT_EQ(t.server(ask("3")),
            (effects{forwarded(failed("3", "The client has no stream open, and too much waits for one"))}));
  EXPECT_EQ(t.listens(9), (effects{open_stream{9}, says(9, ask("1")), says(9, ask("2"))}));
}

TEST(session_question, takes_the_place_of_a_notification_that_waits) {
  session_driver t{{}, {.waiting = 2}};
  t.opened();
  t.server(changed);
  t.server(ask("1"));
  EXPECT_EQ(t.server(ask("2")), effects{});
  EXPECT_EQ(t.listens(9), (effects{open_stream{9}, says(9, ask("1")), says(9, ask("2"))}));
}

// -- notifications before the session is open --------------------------------------

// 2025-11-25, lifecycle, "Initialization"
TEST(session_notification, before_the_answer_to_initialize_waits_for_it) {
  session_driver t;
  t.posts(1, hello("0"));
  EXPECT_EQ(t.server(log_line), effects{});
  EXPECT_EQ(t.server(changed), effects{});
  t.server(welcome("1"));
  EXPECT_EQ(t.listens(9), (effects{open_stream{9}, says(9, log_line), says(9, changed)}));
}

TEST(session_notification, that_waits_is_not_lost_when_the_server_cancels_nothing) {
  for (auto& stray : {note("notifications/cancelled"), cancelled("null"), cancelled("7"), cancelled("\"\"")}) {
    session_driver t;
    t.posts(1, hello("0"));
    t.server(log_line);
    EXPECT_EQ(t.server(stray), effects{});
    t.server(welcome("1"));
    EXPECT_EQ(t.listens(9), (effects{open_stream{9}, says(9, log_line)})) << stray;
  }
}

TEST(session_notification, before_the_answer_to_initialize_is_lost_when_too_many_wait) {
  for (std::size_t sent : {1u, 2u, 3u}) {
    session_driver t{{.held = 2}};
    t.posts(1, hello("0"));
    for (std::size_t i = 0; i < sent; ++i)
      t.server(note("notifications/n", R"({"n":)" + std::to_string(i) + "}"));
    t.server(welcome("1"));
    EXPECT_EQ(t.listens(9).size(), 1 + std::min<std::size_t>(sent, 2)) << sent;
  }
}

TEST(session_notification, before_the_answer_to_initialize_is_bounded_in_bytes) {
  auto size = note("notifications/x", R"({"n":1})").size();
  for (std::size_t spare : {0u, 1u}) {
    session_driver t{{.held_bytes = 2 * size - 1 + spare}};
    t.posts(1, hello("0"));
    t.server(note("notifications/x", R"({"n":1})"));
    t.server(note("notifications/x", R"({"n":2})"));
    t.server(welcome("1"));
    EXPECT_EQ(t.listens(9).size(), 2 + spare);
  }
}

TEST(session_notification, that_says_the_same_as_one_that_waits_is_told_once) {
  session_driver t;
  t.posts(1, hello("0"));
  t.server(changed);
  t.server(changed);
  t.server(welcome("1"));
  t.server(changed);
  EXPECT_EQ(t.listens(9), (effects{open_stream{9}, says(9, changed)}));
}

// -- endpoints -------------------------------------------------------------------

TEST(session_way, of_a_log_line_and_a_question_is_the_only_call) {
  session_driver t;
  t.opened().listens(9);
  t.posts(3, request("1", "m"));
  EXPECT_EQ(t.server(log_line), (effects{open_stream{3}, says(3, log_line)}));
  EXPECT_EQ(t.server(ask("1")), (effects{says(3, ask("1"))}));
}

TEST(session_way, of_a_log_line_and_a_question_is_the_primary_when_there_are_several_calls) {
  session_driver t;
  t.opened().listens(9);
  t.posts(3, request("1", "m"));
  t.posts(4, request("2", "m"));
  EXPECT_EQ(t.server(log_line), (effects{says(9, log_line)}));
  EXPECT_EQ(t.server(ask("1")), (effects{says(9, ask("1"))}));
}

TEST(session_way, of_a_log_line_and_a_question_is_the_latest_call_when_there_is_no_primary) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  t.posts(4, request("2", "m"));
  t.posts(5, request("3", "m"));
  t.leaves(5);
  EXPECT_EQ(t.server(log_line), (effects{open_stream{4}, says(4, log_line)}));
  EXPECT_EQ(t.server(ask("1")), (effects{says(4, ask("1"))}));
}

TEST(session_way, of_other_notifications_is_the_primary) {
  session_driver t;
  t.opened().listens(9);
  t.posts(3, request("1", "m"));
  EXPECT_EQ(t.server(changed), (effects{says(9, changed)}));
}

TEST(session_way, of_other_notifications_is_the_only_call_when_there_is_no_primary) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  EXPECT_EQ(t.server(changed), (effects{open_stream{3}, says(3, changed)}));
}

TEST(session_way, of_other_notifications_is_to_wait_when_there_are_several_calls_and_no_primary) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  t.posts(4, request("2", "m"));
  EXPECT_EQ(t.server(changed), effects{});
  EXPECT_EQ(t.listens(9), (effects{open_stream{9}, says(9, changed)}));
}

TEST(session_way, is_to_wait_when_there_is_neither_call_nor_stream) {
  session_driver t;
  t.opened();
  EXPECT_EQ(t.server(log_line), effects{});
  EXPECT_EQ(t.server(changed), effects{});
  EXPECT_EQ(t.server(ask("1")), effects{});
  EXPECT_EQ(t.listens(9), (effects{open_stream{9}, says(9, log_line), says(9, changed), says(9, ask("1"))}));
  EXPECT_EQ(t.listens(10), (effects{open_stream{10}}));
}

TEST(session_way, is_to_wait_when_the_only_call_has_lost_its_client) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  t.leaves(3);
  EXPECT_EQ(t.server(log_line), effects{});
  EXPECT_EQ(t.listens(9), (effects{open_stream{9}, says(9, log_line)}));
}

TEST(session_way, is_the_primary_again_when_a_call_has_ended) {
  session_driver t;
  t.opened().listens(9);
  t.posts(3, request("1", "m"));
  t.server(result("2"));
  EXPECT_EQ(t.server(log_line), (effects{says(9, log_line)}));
}

TEST(session_way, is_the_shadow_when_the_primary_goes) {
  session_driver t;
  t.opened().listens(8);
  t.listens(9);
  EXPECT_EQ(t.server(changed), (effects{says(8, changed)}));
  EXPECT_EQ(t.leaves(8), effects{});
  EXPECT_EQ(t.server(changed), (effects{says(9, changed)}));
}

TEST(session_way, of_a_batch_is_its_stream_with_the_answers_that_are_there) {
  session_driver t;
  t.opened("2025-03-26").posts(3, "[" + request("1", "m") + "," + request("2", "m") + "]");
  t.server(result("2"));
  EXPECT_EQ(t.server(log_line), (effects{open_stream{3}, says(3, result("1")), says(3, log_line)}));
  EXPECT_EQ(t.server(result("3")), (effects{says(3, result("2")), end_stream{3}}));
}

TEST(session_way, is_bounded_to_8_shadows) {
  session_driver t;
  t.opened();
  for (exchange_id stream = 10; stream <= 18; ++stream)
    EXPECT_EQ(t.listens(stream), (effects{open_stream{stream}}));
  EXPECT_EQ(t.listens(19), (effects{open_stream{19}, end_stream{11}}));
}

} // namespace troupe::tests::session_server_test

// Timeouts of a session, and the end of its server and of the gateway.

#include "tests/support/session_driver.hpp"

namespace troupe::tests::session_time_test {

namespace {

const std::string late_call = "The MCP server did not answer within 300 s";
const std::string capped_call = "The MCP server did not answer within 1800 s";
const std::string late_client = "The client did not answer in time";
const std::string stops = "the gateway is stopping";

std::string ask(std::string id) { return request(id, "elicitation/create"); }

rejection stopping(std::string id) {
  return {503, -32603, "Service Unavailable: the gateway is stopping", std::move(id), {{"Retry-After", "1"}}};
}

} // namespace

// -- time limits -------------------------------------------------------------------

// 2025-11-25, transports, "Sending Messages to the Server" 6
TEST(session_time, makes_a_stream_of_a_call_after_200_ms_when_its_client_can_resume_it) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  EXPECT_EQ(t.it.deadline(), t.now + 200ms);
  EXPECT_EQ(t.after(200ms - 1ns), effects{});
  EXPECT_EQ(t.after(1ns), (effects{open_stream{3}}));
  EXPECT_EQ(t.server(result("2")), (effects{says(3, result("1")), end_stream{3}}));
}

TEST(session_time, makes_a_stream_of_a_call_after_15_s) {
  session_driver t;
  t.opened("2025-06-18").posts(3, request("1", "m"));
  EXPECT_EQ(t.it.deadline(), t.now + 15s);
  EXPECT_EQ(t.after(15s - 1ns), effects{});
  EXPECT_EQ(t.after(1ns), (effects{open_stream{3}}));
  EXPECT_EQ(t.after(15s), effects{});
  EXPECT_EQ(t.server(result("2")), (effects{says(3, result("1")), end_stream{3}}));
}

TEST(session_time, does_not_make_a_stream_of_a_call_whose_client_is_gone) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  t.leaves(3);
  EXPECT_EQ(t.it.deadline(), t.now + 5min);
  EXPECT_EQ(t.after(15s), effects{});
}

// -- operators' actions ------------------------------------------------------------

TEST(session_operator, ends_one_call_which_fails_and_is_cancelled) {
  session_driver t;
  t.opened("2025-06-18").posts(3, request("\"a\"", "m"));
  t.posts(4, request("\"b\"", "m"));
  EXPECT_EQ(
      t.it.end_call("\"a\"", "ended", t.now),
      (effects{reply{3, failed("\"a\"", "ended")}, forwarded(cancellation_of("2", "ended by an operator").text)}));
  EXPECT_EQ(t.server(result("2")), effects{});
  EXPECT_EQ(t.server(result("3")), (effects{reply{4, result("\"b\"")}}));
}

TEST(session_operator, ends_nothing_that_is_over_or_not_under_way) {
  session_driver t;
  t.opened("2025-06-18").posts(3, request("1", "m"));
  EXPECT_EQ(t.it.end_call("2", "ended", t.now), effects{});
  t.server(result("2"));
  EXPECT_EQ(t.it.end_call("1", "ended", t.now), effects{});
}

TEST(session_operator, ends_no_initialize) {
  session_driver t;
  t.posts(1, hello("0"));
  EXPECT_EQ(t.it.end_call("0", "ended", t.now), effects{});
}

TEST(session_operator, ends_the_last_call_and_with_it_a_session_that_drains) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  t.leaves(3);
  t.drain();
  EXPECT_EQ(t.it.end_call("1", "ended", t.now),
            (effects{forwarded(cancellation_of("2", "ended by an operator").text), end_session{stops}}));
}

TEST(session_operator, is_shown_under_which_id_a_client_has_asked) {
  session_driver t;
  t.opened("2025-06-18").posts(3, request("\"a\"", "m"));
  EXPECT_EQ(t.it.asked_as("2"), "\"a\"");
  EXPECT_EQ(t.it.asked_as("3"), "");
  EXPECT_EQ(t.it.asked_as("\"x\""), "");
}

// -- late calls --------------------------------------------------------------------

// 2025-11-25, lifecycle, "Timeouts"
TEST(session_time, fails_a_call_after_5_minutes_and_cancels_it) {
  session_driver t;
  t.opened().posts(3, request("\"a\"", "m"));
  t.after(15s);
  EXPECT_EQ(t.it.deadline(), t.now + 5min - 15s);
  EXPECT_EQ(t.after(5min - 15s - 1ns), effects{});
  EXPECT_EQ(t.after(1ns), (effects{says(3, failed("\"a\"", late_call)), end_stream{3}, forwarded(timed_out("2"))}));
  EXPECT_EQ(t.server(result("2")), effects{});
  EXPECT_EQ(t.server(progress("2")), effects{});
}

TEST(session_time, fails_a_call_in_JSON_when_patience_is_longer) {
  session_driver t{{.request = 1500ms}};
  t.opened("2025-06-18").posts(3, request("1", "m"));
  EXPECT_EQ(t.after(1500ms), (effects{reply{3, failed("1", "The MCP server did not answer within 1.500 s")},
                                      forwarded(timed_out("2"))}));
}

TEST(session_time, cancels_a_late_call_whose_client_is_gone) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  t.leaves(3);
  EXPECT_EQ(t.after(5min), (effects{forwarded(timed_out("2"))}));
}

TEST(session_time, gives_a_call_that_makes_progress_more_time) {
  session_driver t;
  t.opened().posts(3, request_with("7", "1", "m"));
  t.after(4min);
  EXPECT_EQ(t.server(progress("2")), (effects{says(3, progress("7"))}));
  EXPECT_EQ(t.it.deadline(), t.now + 5min);
  EXPECT_EQ(t.after(5min - 1ns), effects{});
  EXPECT_EQ(t.after(1ns), (effects{says(3, failed("1", late_call)), end_stream{3}, forwarded(timed_out("2"))}));
}

TEST(session_time, gives_a_call_more_time_for_progress_even_when_its_client_is_gone) {
  session_driver t;
  t.opened().posts(3, request_with("7", "1", "m"));
  t.leaves(3);
  t.after(4min);
  t.server(progress("2"));
  EXPECT_EQ(t.after(4min), effects{});
}

TEST(session_time, gives_a_call_no_more_than_30_minutes) {
  session_driver t;
  t.opened().posts(3, request_with("7", "1", "m"));
  for (int minutes = 4; minutes < 30; minutes += 4) {
    t.after(4min);
    t.server(progress("2"));
  }
  EXPECT_EQ(t.it.deadline(), t.now + 2min);
  EXPECT_EQ(t.after(2min - 1ns), effects{});
  EXPECT_EQ(t.after(1ns), (effects{says(3, failed("1", capped_call)), end_stream{3}, forwarded(timed_out("2"))}));
}

TEST(session_time, fails_a_late_part_of_a_batch_and_leaves_the_others) {
  session_driver t{{}, {.patience = 1h}};
  t.opened("2025-03-26").posts(3, "[" + request("1", "m") + "," + request_with("7", "2", "m") + "]");
  t.after(4min);
  EXPECT_EQ(t.server(progress("3")), (effects{open_stream{3}, says(3, progress("7"))}));
  EXPECT_EQ(t.after(1min), (effects{says(3, failed("1", late_call)), forwarded(timed_out("2"))}));
  EXPECT_EQ(t.server(result("3")), (effects{says(3, result("2")), end_stream{3}}));
}

// -- late questions ------------------------------------------------------------------

// 2025-11-25, lifecycle, "Timeouts"
TEST(session_time, fails_a_question_after_10_minutes_and_withdraws_it) {
  session_driver t;
  t.opened().listens(9);
  t.server(ask("\"q\""));
  EXPECT_EQ(t.it.deadline(), t.now + 10min);
  EXPECT_EQ(t.after(10min - 1ns), effects{});
  EXPECT_EQ(t.after(1ns), (effects{forwarded(failed("\"q\"", late_client)), says(9, timed_out("1"))}));
  EXPECT_EQ(t.posts(3, result("1")), (effects{accept{3}}));
}

TEST(session_time, withdraws_a_late_question_that_had_to_wait_for_its_stream) {
  session_driver t;
  t.opened();
  t.server(ask("5"));
  t.listens(9);
  EXPECT_EQ(t.after(10min), (effects{forwarded(failed("5", late_client)), says(9, timed_out("1"))}));
}

TEST(session_time, withdraws_a_late_question_that_still_waits_for_a_stream) {
  session_driver t;
  t.opened();
  t.server(ask("5"));
  EXPECT_EQ(t.after(10min), (effects{forwarded(failed("5", late_client))}));
  EXPECT_EQ(t.listens(9), (effects{open_stream{9}, says(9, ask("1")), says(9, timed_out("1"))}));
}

TEST(session_time, gives_a_question_that_makes_progress_more_time_up_to_30_minutes) {
  session_driver t;
  t.opened().listens(9);
  t.server(request_with("\"s\"", "4", "m"));
  t.after(9min);
  t.posts(3, progress("1"));
  EXPECT_EQ(t.it.deadline(), t.now + 10min);
  t.after(9min);
  t.posts(4, progress("1"));
  t.after(9min);
  t.posts(5, progress("1"));
  EXPECT_EQ(t.it.deadline(), t.now + 3min);
  EXPECT_EQ(t.after(3min), (effects{forwarded(failed("4", late_client)), says(9, timed_out("1"))}));
}

// -- loss of the server ----------------------------------------------------------------

TEST(session_server_lost, fails_every_call_in_flight_at_once) {
  session_driver t;
  t.opened().posts(3, request_with("7", "1", "m"));
  t.server(progress("2"));
  t.posts(4, request("\"b\"", "m"));
  t.posts(5, request("3", "m"));
  t.leaves(5);
  t.listens(9);
  EXPECT_EQ(t.server_lost("it crashed"),
            (effects{says(3, failed("1", "it crashed")), end_stream{3}, reply{4, failed("\"b\"", "it crashed")},
                     end_stream{9}, end_session{"it crashed"}}));
  EXPECT_EQ(t.server_lost("again"), effects{});
}

TEST(session_server_lost, fails_every_part_of_a_batch) {
  session_driver t;
  t.opened("2025-03-26").posts(3, "[" + request("1", "m") + "," + request("2", "m") + "," + request("3", "ping") + "]");
  t.server(result("2"));
  EXPECT_EQ(t.server_lost("x"),
            (effects{reply{3, "[" + empty_result("3") + "," + result("1") + "," + failed("2", "x") + "]"},
                     end_session{"x"}}));
}

TEST(session_server_lost, just_ends_a_session_in_which_nothing_happens) {
  session_driver t;
  t.opened();
  EXPECT_EQ(t.server_lost("x"), (effects{end_session{"x"}}));
}

// -- the gateway stops -------------------------------------------------------------------

TEST(session_drain, ends_at_once_when_no_call_is_in_flight) {
  session_driver t;
  t.opened().listens(9);
  EXPECT_EQ(t.drain(), (effects{end_stream{9}, end_session{stops}}));
  EXPECT_EQ(t.drain(), effects{});
  EXPECT_EQ(session_driver{}.drain(), (effects{end_session{stops}}));
}

TEST(session_drain, lets_calls_finish_and_takes_no_more) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  t.posts(4, request("2", "m"));
  EXPECT_EQ(t.drain(), effects{});
  EXPECT_EQ(t.posts(5, request("3", "m")), (effects{reject{5, stopping("3")}}));
  EXPECT_EQ(t.server(result("2")), (effects{reply{3, result("1")}}));
  EXPECT_EQ(t.drain(), effects{});
  EXPECT_EQ(t.server(result("3")), (effects{reply{4, result("2")}, end_session{stops}}));
}

TEST(session_drain, at_once_fails_the_calls_in_flight) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  EXPECT_EQ(t.drain(true), (effects{reply{3, failed("1", "The call was cut off: " + stops)}, end_session{stops}}));
  EXPECT_EQ(t.drain(true), effects{});
}

TEST(session_drain, fails_the_calls_in_flight_when_its_grace_is_over) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  EXPECT_EQ(t.it.close({.grace = 100ms}, t.now), effects{});
  EXPECT_EQ(t.it.deadline(), t.now + 100ms);
  t.it.close({.grace = 200ms}, t.now);
  EXPECT_EQ(t.after(100ms - 1ns), effects{}) << "a later limit is no longer one";
  EXPECT_EQ(t.after(1ns), (effects{reply{3, failed("1", "The call was cut off: " + stops)}, end_session{stops}}));
}

// 2025-11-25, ping, "Behavior Requirements" 1
TEST(session_drain, still_answers_ping) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  t.drain();
  EXPECT_EQ(t.posts(4, request("2", "ping")), (effects{reply{4, empty_result("2")}}));
}

TEST(session_drain, lets_a_call_ask_its_client) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  t.drain();
  EXPECT_EQ(t.server(ask("9")), (effects{open_stream{3}, says(3, ask("1"))}));
  EXPECT_EQ(t.posts(4, result("1")), (effects{accept{4}, forwarded(result("9"))}));
  EXPECT_EQ(t.server(result("2")), (effects{says(3, result("1")), end_stream{3}, end_session{stops}}));
}

TEST(session_drain, lets_initialize_finish) {
  session_driver t;
  t.posts(1, hello("0"));
  EXPECT_EQ(t.drain(), effects{});
  EXPECT_EQ(t.server(welcome("1")), (effects{reply{1, welcome("0"), true}, end_session{stops}}));
}

TEST(session_drain, ends_when_initialize_fails) {
  session_driver t;
  t.posts(1, hello("0"));
  t.drain();
  EXPECT_EQ(t.server(failed("1", "no")),
            (effects{reply{1, failed("0", "no")}, end_session{"its server refused to initialize"}}));
}

TEST(session_drain, ends_when_the_last_call_is_cancelled) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  t.drain();
  EXPECT_EQ(t.posts(4, cancelled("1")),
            (effects{accept{4}, forwarded(cancelled("2")), reply{3, error_text("1", -32800, "Request cancelled")},
                     end_session{stops}}));
}

TEST(session_drain, says_nothing_of_a_batch_after_the_end_that_it_brought) {
  session_driver t;
  t.opened("2025-03-26").posts(3, request("1", "m"));
  t.drain();
  EXPECT_EQ(t.posts(4, "[" + cancelled("1") + "," + note("notifications/n") + "]"),
            (effects{accept{4}, forwarded(cancelled("2")), reply{3, error_text("1", -32800, "Request cancelled")},
                     end_session{stops}}));
}

TEST(session_drain, ends_when_the_last_call_is_late) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  t.leaves(3);
  t.drain();
  EXPECT_EQ(t.after(5min), (effects{forwarded(timed_out("2")), end_session{stops}}));
}

TEST(session_drain, says_nothing_of_late_questions_after_its_end) {
  session_driver t{{.question = 5min}};
  t.opened().listens(9);
  t.posts(3, request("1", "m"));
  t.leaves(3);
  t.server(ask("5"));
  t.drain();
  EXPECT_EQ(t.after(5min), (effects{forwarded(timed_out("2")), end_stream{9}, end_session{stops}}));
}

TEST(session_drain, sends_listeners_away_who_miss_nothing_until_they_are_back) {
  session_driver t;
  t.opened().listens(3);
  t.listens(4);
  t.listens(5);
  EXPECT_EQ(t.it.close_streams({3, 4}, t.now), (effects{end_stream{3}, end_stream{4}}));
  EXPECT_EQ(t.server(note("notifications/n")),
            (effects{publish{5, {.type = "message", .data = note("notifications/n")}}}));
  EXPECT_EQ(t.it.close_streams({5}, t.now), (effects{end_stream{5}}));
  EXPECT_EQ(t.server(note("notifications/m")), effects{});
  EXPECT_EQ(t.listens(6), (effects{open_stream{6}, publish{6, {.type = "message", .data = note("notifications/m")}}}));
}

} // namespace troupe::tests::session_time_test

// Messages to a remote server over Streamable HTTP: concurrency, cancellation, the end of the session.

#include "tests/support/remote_driver.hpp"

namespace troupe::tests::remote_messages_test {

// -- limits ------------------------------------------------------------------------------

TEST(remote_calls, are_so_many_at_a_time) {
  remote_driver t;
  t.opened();
  for (int i = 1; i <= 1000; ++i)
    ASSERT_EQ(t.sends(request(std::to_string(i), "m")).size(), 1u);
  EXPECT_EQ(t.it.requests_in_flight(), 1000u);
  const remote_effects full{takes(failed("1001", "Too many requests to the remote MCP server are in flight"))};
  EXPECT_EQ(t.sends(request("1001", "m")), full);
  t.answers(4, 200, json, result("1"));
  EXPECT_EQ(t.sends(request("1001", "m")), (remote_effects{asks(1004, request("1001", "m"))}));
}

TEST(remote_calls, and_other_messages_are_so_many_at_a_time) {
  remote_driver t;
  t.opened();
  for (int i = 1; i < 2000; ++i)
    ASSERT_EQ(t.sends(note("n")).size(), 1u);
  EXPECT_EQ(t.sends(note("n")),
            (remote_effects{warns("a message did not arrive: Too much is on its way to the remote MCP server")}));
  EXPECT_EQ(t.sends(request("1", "m")),
            (remote_effects{takes(failed("1", "Too much is on its way to the remote MCP server"))}));
  EXPECT_EQ(t.it.requests_in_flight(), 0u);
}

TEST(remote_calls, have_an_id_each) {
  asking t;
  EXPECT_EQ(t.sends(request("1", "m")),
            (remote_effects{takes(error_text("1", -32600, "Invalid Request: a request of this id is in flight"))}));
  EXPECT_EQ(t.sends(request("\"1\"", "m")), (remote_effects{asks(5, request("\"1\"", "m"))}));
}

// -- other messages ----------------------------------------------------------------------

TEST(remote_messages, go_side_by_side_and_any_success_takes_them) {
  asking t;
  EXPECT_EQ(t.sends(note("n")), (remote_effects{tells(5, note("n"))}));
  EXPECT_EQ(t.sends(result("9")), (remote_effects{tells(6, result("9"))}));
  EXPECT_EQ(t.head(6, 200, json), remote_effects{});
  EXPECT_EQ(t.body(6, "whatever"), remote_effects{});
  EXPECT_EQ(t.head(5, 204), remote_effects{});
  EXPECT_EQ(t.ends(6), remote_effects{});
}

TEST(remote_messages, that_are_refused_are_remarked) {
  remote_driver t;
  t.opened().sends(note("n"));
  EXPECT_EQ(t.head(4, 500), (remote_effects{warns("a message was refused: The remote MCP server answered HTTP 500")}));
}

TEST(remote_messages, do_not_wait_for_ever_for_the_end_of_their_answer) {
  remote_driver t;
  t.opened().sends(note("n"));
  t.head(4, 202);
  t.after(5s - 1ns);
  t.body(4, "x");
  EXPECT_EQ(t.after(1ns), remote_effects{drop_call{4}});
}

// -- cancellation --------------------------------------------------------------------------

// 2025-11-25, transports, "Sending Messages to the Server" 6
TEST(remote_cancel, is_a_message_and_leaves_the_stream_open) {
  asking t;
  t.head(4, 200, events);
  EXPECT_EQ(t.sends(cancelled("1")), (remote_effects{release_call{4, true}, tells(5, cancelled("1"))}));
  EXPECT_EQ(t.body(4, wire(note("n")) + wire(result("1"))), (remote_effects{takes(note("n"))}));
  EXPECT_EQ(t.head(5, 202), remote_effects{});
  EXPECT_EQ(t.it.requests_in_flight(), 0u);
  EXPECT_EQ(t.body(4, wire(request("7", "roots/list"))), (remote_effects{takes(request("7", "roots/list"))}));
  EXPECT_EQ(t.ends(4), remote_effects{});
  EXPECT_EQ(t.after(1h), (remote_effects{drop_call{5}})) << "what has ended is not resumed";
}

TEST(remote_cancel, leaves_a_stream_open_that_begins_later) {
  asking t;
  t.sends(cancelled("1"));
  EXPECT_EQ(t.head(4, 200, events), remote_effects{});
  EXPECT_EQ(t.body(4, wire(request("7", "roots/list"))), (remote_effects{takes(request("7", "roots/list"))}));
}

TEST(remote_cancel, reads_a_json_answer_to_its_end) {
  asking t;
  t.sends(cancelled("1"));
  EXPECT_EQ(t.head(4, 200, json), remote_effects{});
  t.head(5, 202);
  t.ends(5);
  EXPECT_EQ(t.after(5s - 1ns), remote_effects{});
  EXPECT_EQ(t.after(1ns), remote_effects{drop_call{4}});
}

TEST(remote_cancel, leaves_a_stream_open_for_five_minutes) {
  asking t;
  t.head(4, 200, events);
  t.sends(cancelled("1"));
  t.head(5, 202);
  t.ends(5);
  t.after(5min - 1ns);
  t.body(4, wire(note("n")));
  EXPECT_EQ(t.after(1ns), remote_effects{drop_call{4}});
}

TEST(remote_cancel, leaves_eight_streams_open) {
  asking t;
  auto cancel = [&](http_call_id call) {
    t.sends(request(std::to_string(call), "m"));
    t.head(call, 200, events);
    auto all = t.sends(cancelled(std::to_string(call)));
    t.head(call + 1, 202);
    t.ends(call + 1);
    return all;
  };
  for (http_call_id call = 5; call < 5 + 2 * 8; call += 2)
    EXPECT_EQ(cancel(call),
              (remote_effects{release_call{call, true}, tells(call + 1, cancelled(std::to_string(call)))}));
  EXPECT_EQ(cancel(21), (remote_effects{release_call{21, true}, drop_call{5}, tells(22, cancelled("21"))}));
}

TEST(remote_cancel, of_a_call_that_was_not_sent_is_not_sent_either) {
  remote_driver t;
  t.opened().sends(request("1", "m"));
  t.it.call_waits(4);
  EXPECT_EQ(t.sends(cancelled("1")), remote_effects{drop_call{4}});
  EXPECT_EQ(t.after(1min), remote_effects{});
}

TEST(remote_cancel, of_a_call_that_waits_to_be_resumed_is_sent) {
  asking t;
  t.head(4, 200, events);
  t.body(4, "id: a\ndata:\n\n");
  t.ends(4);
  t.in_time();
  t.it.call_waits(5);
  EXPECT_EQ(t.sends(cancelled("1")), (remote_effects{drop_call{5}, tells(6, cancelled("1"))}));
}

TEST(remote_cancel, waits_until_the_server_has_heard_the_call) {
  remote_driver t;
  t.opened();
  t.sends(request("1", "m"));
  EXPECT_EQ(t.sends(cancelled("1")), (remote_effects{release_call{4, true}}));
  EXPECT_EQ(t.after(249ms), remote_effects{});
  EXPECT_EQ(t.in_time(), (remote_effects{tells(5, cancelled("1"))}));
  EXPECT_EQ(t.head(5, 202), remote_effects{});
}

TEST(remote_cancel, goes_at_once_when_the_answer_has_begun) {
  remote_driver t;
  t.opened();
  t.sends(request("1", "m"));
  t.head(4, 200, events);
  EXPECT_EQ(t.sends(cancelled("1")), (remote_effects{release_call{4, true}, tells(5, cancelled("1"))}));
}

TEST(remote_cancel, leaves_a_call_without_answer_however_it_ends) {
  asking ends;
  ends.sends(cancelled("1"));
  EXPECT_EQ(ends.answers(4, 200, json, result("1")), remote_effects{});
  EXPECT_EQ(ends.head(5, 202), remote_effects{});
  asking fails;
  fails.sends(cancelled("1"));
  EXPECT_EQ(fails.fails(4, "reset"), remote_effects{});
  asking refused;
  refused.sends(cancelled("1"));
  EXPECT_EQ(refused.head(4, 500), remote_effects{drop_call{4}});
}

// -- waiting calls --------------------------------------------------------------------------

TEST(remote_turn, gives_the_call_its_time_from_then_on) {
  remote_driver t;
  t.opened().sends(request("1", "m"));
  t.it.call_waits(4);
  t.after(5min);
  EXPECT_EQ(t.begins(4), remote_effects{});
  EXPECT_EQ(t.after(6min - 1ns), remote_effects{});
  EXPECT_EQ(t.answers(4, 200, json, result("1")), (remote_effects{takes(result("1"))}));
}

TEST(remote_turn, that_does_not_come_in_time_fails_the_call) {
  remote_driver t;
  t.opened().sends(request("1", "m"));
  t.it.call_waits(4);
  EXPECT_EQ(t.after(6min),
            (remote_effects{drop_call{4}, takes(failed("1", "The remote MCP server has too many requests under way: "
                                                            "this one was not sent"))}));
}

TEST(remote_cancel, of_what_nobody_knows_is_passed_on) {
  remote_driver t;
  t.opened();
  EXPECT_EQ(t.sends(cancelled("77")), (remote_effects{tells(4, cancelled("77"))}));
  EXPECT_EQ(t.head(4, 202), remote_effects{});
}

// -- the end ------------------------------------------------------------------------------

// 2025-11-25, transports, "Session Management" 4
TEST(remote_ends, when_the_session_is_gone) {
  asking t;
  EXPECT_EQ(t.head(4, 404), (remote_effects{drop_call{4}, drop_call{3}, forgotten}));
  EXPECT_EQ(t.sends(request("3", "m")), remote_effects{});
  EXPECT_EQ(t.head(4, 200, json), remote_effects{});
  EXPECT_EQ(t.it.leave(), remote_effects{});
}

TEST(remote_ends, when_other_requests_were_refused_too_or_have_begun) {
  asking t;
  for (auto id : {"2", "3"})
    t.sends(request(id, "m"));
  EXPECT_EQ(t.head(5, 404), remote_effects{drop_call{5}});
  EXPECT_EQ(t.sends(request("4", "m")), remote_effects{});
  EXPECT_EQ(t.head(4, 200, events), remote_effects{});
  EXPECT_EQ(t.head(6, 404),
            (remote_effects{drop_call{6}, takes(failed("1", session_over)), drop_call{3}, drop_call{4}, forgotten}));
}

TEST(remote_ends, without_waiting_long_for_other_requests) {
  asking t;
  t.sends(request("2", "m"));
  EXPECT_EQ(t.head(5, 404), remote_effects{drop_call{5}});
  EXPECT_EQ(t.it.deadline(), t.now + 1s);
  EXPECT_EQ(t.after(1s - 1ns), remote_effects{});
  EXPECT_EQ(t.after(1ns), (remote_effects{takes(failed("1", session_over)), drop_call{3}, drop_call{4}, forgotten}));
}

TEST(remote_ends, without_failing_what_waits_for_a_connection) {
  asking t;
  t.sends(request("2", "m"));
  t.it.call_waits(5);
  EXPECT_EQ(t.head(4, 404), (remote_effects{drop_call{4}, drop_call{3}, drop_call{5}, forgotten}));
}

TEST(remote_ends, when_a_notification_is_refused_for_that) {
  remote_driver t;
  t.opened().sends(note("n"));
  EXPECT_EQ(t.head(4, 404), (remote_effects{drop_call{4}, drop_call{3}, forgotten}));
}

TEST(remote_ends, without_a_word_on_what_was_cancelled) {
  asking t;
  t.sends(request("2", "m"));
  t.head(5, 404);
  EXPECT_EQ(t.sends(cancelled("1")), remote_effects{});
  EXPECT_EQ(t.sends(cancelled("2")), remote_effects{});
  EXPECT_EQ(t.head(4, 200, events), (remote_effects{drop_call{3}, drop_call{4}, forgotten}));
}

TEST(remote_ends, not_for_a_404_where_there_is_no_session) {
  remote_driver t;
  t.sends(hello("0"));
  t.answers(1, 200, json, welcome("0"));
  t.sends(request("1", "m"));
  EXPECT_EQ(t.head(2, 404),
            (remote_effects{drop_call{2}, takes(failed("1", "The remote MCP server answered HTTP 404"))}));
}

// 2025-11-25, transports, "Session Management" 5
TEST(remote_ends, with_a_DELETE_when_the_user_goes) {
  asking t;
  EXPECT_EQ(t.it.leave(), (remote_effects{drop_call{3}, drop_call{4}, send_last_request{"DELETE", site, in_session}}));
  EXPECT_EQ(t.it.leave(), remote_effects{});
  EXPECT_EQ(t.head(4, 200, json), remote_effects{});
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(remote_ends, with_no_word_where_there_is_no_session) {
  EXPECT_EQ(remote_driver{}.it.leave(), remote_effects{});
  remote_driver t;
  t.sends(hello("0"));
  t.answers(1, 200, json, welcome("0"));
  EXPECT_EQ(t.it.leave(), remote_effects{});
}

TEST(remote_messages, that_are_malformed_fail_the_request_that_they_answer) {
  asking t;
  t.head(4, 200, events);
  EXPECT_EQ(t.body(4, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":\"boom\"}\n\n"),
            (remote_effects{warns("server wrote something that is no MCP message: Invalid Request: error must be an "
                                  "object; it was the answer to a call, which fails"),
                            takes(failed("1", "The MCP server's answer is malformed: error must be an object")),
                            release_call{4, true}}));
}

TEST(remote_messages, that_are_malformed_requests_are_answered) {
  asking t;
  t.head(4, 200, events);
  EXPECT_EQ(t.body(4, "data: {\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\",\"params\":[]}\n\n"),
            (remote_effects{warns("server wrote something that is no MCP message: Invalid Request: params must be an "
                                  "object; it was a request, which is answered with an error"),
                            tells(5, error_text("9", -32600, "Invalid Request: params must be an object"))}));
}

} // namespace troupe::tests::remote_messages_test

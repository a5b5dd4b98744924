// Sessions of HTTP+SSE, capabilities and resumption.

#include "tests/protocol/session/session_refusals.hpp"

namespace troupe::tests::session_sse_test {

namespace {

const std::string ask_roots = "roots/list";
const std::string changed = note("notifications/tools/list_changed");

std::string undeclared(std::string id) {
  return error_text(id, -32601, "The client did not declare the capability for this");
}

} // namespace

// -- HTTP+SSE --------------------------------------------------------------------------

// 2024-11-05, transports, "HTTP with SSE"
TEST(session_sse, answers_on_its_stream) {
  sse_driver t;
  EXPECT_EQ(t.posts(1, hello("0", "2024-11-05")), (effects{accept{1}, asked(hello("1", "2024-11-05"), "1")}));
  EXPECT_EQ(t.server(welcome("1", "2024-11-05")), (effects{says(100, welcome("0", "2024-11-05"))}));
  EXPECT_EQ(t.posts(2, initialized), (effects{accept{2}, forwarded(initialized)}));
  EXPECT_EQ(t.posts(3, request_with("7", "\"a\"", "m")), (effects{accept{3}, asked(request_with("2", "2", "m"), "2")}));
  EXPECT_EQ(t.server(progress("2")), (effects{says(100, progress("7"))}));
  EXPECT_EQ(t.server(result("2")), (effects{says(100, result("\"a\""))}));
}

// 2025-11-25, lifecycle, "Version Negotiation"
TEST(session_sse, takes_any_version_with_sessions) {
  for (auto version : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    sse_driver t;
    t.posts(1, hello("0", version));
    EXPECT_EQ(t.server(welcome("1", version)), (effects{says(100, welcome("0", version))}));
  }
}

// 2025-11-25, lifecycle, "Initialization"
TEST(session_sse, is_told_on_its_stream_that_it_may_begin_later) {
  sse_driver t;
  t.posts(1, hello("0", "2024-11-05"));
  EXPECT_EQ(t.it.server_lost("the gateway is out of descriptors", t.now, true),
            (effects{says(100, failed("0", "Service Unavailable: the gateway is out of descriptors")), end_stream{100},
                     end_session{"the gateway is out of descriptors"}}));
}

TEST(session_sse, takes_no_call_before_initialize) {
  sse_driver t;
  EXPECT_EQ(t.posts(1, request("1", "m")), (effects{reject{1, refused("initialize has not been answered yet", "1")}}));
  EXPECT_EQ(t.posts(2, request("2", "ping")), (effects{accept{2}, says(100, empty_result("2"))}));
  t.posts(3, hello("3"));
  EXPECT_EQ(t.posts(4, request("4", "m")), (effects{reject{4, refused("initialize has not been answered yet", "4")}}));
  EXPECT_EQ(t.server(welcome("1")), (effects{says(100, welcome("3"))}));
}

TEST(session_sse, ends_when_its_client_does_not_initialize_it_in_time) {
  sse_driver t;
  EXPECT_EQ(t.after(30s - 1ms), effects{});
  EXPECT_EQ(t.after(1ms), (effects{end_stream{100}, end_session{"its client did not initialize it"}}));
}

// As in the official SDKs, the SSE connection is the session.
TEST(session_sse, ends_with_its_stream) {
  sse_driver t;
  t.opened().posts(3, request("1", "m"));
  EXPECT_EQ(t.leaves(100), (effects{end_session{"its client left"}}));
  EXPECT_EQ(t.server(result("2")), effects{});
}

// As in the official SDKs, the SSE connection is the session.
TEST(session_sse, ends_with_its_stream_before_it_was_initialized) {
  sse_driver fresh;
  EXPECT_EQ(fresh.leaves(100), (effects{end_session{"its client left"}}));
  sse_driver starting;
  starting.posts(1, hello("0"));
  EXPECT_EQ(starting.leaves(1), effects{});
  EXPECT_EQ(starting.leaves(100), (effects{end_session{"its client left"}}));
}

TEST(session_sse, goes_on_when_the_connection_of_a_POST_ends) {
  sse_driver t;
  t.opened().posts(3, request("1", "m"));
  for (exchange_id gone : {0, 1, 3, 99})
    EXPECT_EQ(t.leaves(gone), effects{}) << gone;
  EXPECT_EQ(t.server(result("2")), (effects{says(100, result("1"))}));
}

// 2025-03-26, transports, "Sending Messages to the Server" 3
TEST(session_sse, takes_batches_of_2025_03_26_only_and_answers_each_by_itself) {
  auto batch = "[" + request("1", "m") + "," + request("2", "ping") + "]";
  sse_driver old;
  old.opened("2024-11-05");
  EXPECT_EQ(old.posts(3, batch), (effects{reject{3, refused("this session's revision has no batches")}}));
  sse_driver t;
  t.opened("2025-03-26");
  EXPECT_EQ(t.posts(3, batch), (effects{accept{3}, asked(request("2", "m"), "2"), says(100, empty_result("2"))}));
  EXPECT_EQ(t.server(result("2")), (effects{says(100, result("1"))}));
}

TEST(session_sse, says_nothing_about_a_call_that_its_client_cancelled) {
  sse_driver t;
  t.opened().posts(3, request("1", "m"));
  EXPECT_EQ(t.posts(4, cancelled("1")), (effects{accept{4}, forwarded(cancelled("2"))}));
  EXPECT_EQ(t.server(result("2")), effects{});
}

TEST(session_sse, asks_on_its_stream) {
  sse_driver t;
  t.opened();
  EXPECT_EQ(t.server(request("5", ask_roots)), (effects{says(100, request("1", ask_roots))}));
  EXPECT_EQ(t.server(cancelled("5")), (effects{says(100, cancelled("1"))}));
  t.server(request("6", ask_roots));
  EXPECT_EQ(t.posts(3, result("2")), (effects{accept{3}, forwarded(result("6"))}));
  t.server(request("7", ask_roots));
  EXPECT_EQ(t.after(10min),
            (effects{forwarded(failed("7", "The client did not answer in time")), says(100, timed_out("3"))}));
}

TEST(session_sse, fails_its_calls_when_the_server_is_gone) {
  sse_driver t;
  t.opened().posts(3, request("1", "m"));
  EXPECT_EQ(t.server_lost("it crashed"),
            (effects{says(100, failed("1", "it crashed")), end_stream{100}, end_session{"it crashed"}}));
}

TEST(session_sse, ends_when_the_server_does_not_agree) {
  sse_driver t;
  t.posts(1, hello("0"));
  EXPECT_EQ(t.server(failed("1", "no")),
            (effects{says(100, failed("0", "no")), end_stream{100}, end_session{"its server refused to initialize"}}));
}

TEST(session_sse, is_not_idle_while_its_stream_is_there) {
  sse_driver t;
  t.opened();
  EXPECT_EQ(t.it.deadline(), time_point::max());
  EXPECT_EQ(t.after(24h), effects{});
}

TEST(session_sse, ends_when_the_gateway_stops) {
  sse_driver t;
  t.opened().posts(3, request("1", "m"));
  EXPECT_EQ(t.drain(), effects{});
  EXPECT_EQ(t.server(result("2")),
            (effects{says(100, result("1")), end_stream{100}, end_session{"the gateway is stopping"}}));
}

// -- capabilities ------------------------------------------------------------------------

// 2025-11-25, lifecycle, "Operation"
TEST(session_capabilities, are_not_exceeded_by_the_server) {
  for (auto method : {"sampling/createMessage", "elicitation/create", "roots/list"}) {
    session_driver t;
    t.posts(1, hello("0", "2025-11-25", "{}"));
    t.server(welcome("1"));
    t.posts(2, initialized);
    t.listens(9);
    EXPECT_EQ(t.server(request("\"q\"", method)), (effects{forwarded(undeclared("\"q\""))})) << method;
    EXPECT_EQ(t.it.questions_in_flight(), 0u);
    EXPECT_EQ(t.server(request("8", "custom/thing")), (effects{says(9, request("1", "custom/thing"))}));
  }
}

// 2025-11-25, lifecycle, "Operation"
TEST(session_capabilities, that_were_declared_are_used) {
  session_driver t;
  t.posts(1, hello("0", "2025-11-25", R"({"roots":{}})"));
  t.server(welcome("1"));
  t.posts(2, initialized);
  t.listens(9);
  EXPECT_EQ(t.server(request("5", "roots/list")), (effects{says(9, request("1", "roots/list"))}));
  EXPECT_EQ(t.server(request("6", "sampling/createMessage")), (effects{forwarded(undeclared("6"))}));
}

TEST(session_capabilities, are_looked_at_before_the_client_is_initialized) {
  session_driver t;
  t.posts(1, hello("0", "2025-11-25", "{}"));
  EXPECT_EQ(t.server(request("5", "roots/list")), (effects{forwarded(undeclared("5"))}));
}

TEST(session_capabilities, are_looked_at_later_when_the_server_asks_before_all) {
  sse_driver t;
  EXPECT_EQ(t.server(request("5", "roots/list")), effects{});
  t.posts(1, hello("0", "2025-11-25", "{}"));
  t.server(welcome("1"));
  EXPECT_EQ(t.posts(2, initialized), (effects{accept{2}, forwarded(initialized), forwarded(undeclared("5"))}));
}

// -- resumption --------------------------------------------------------------------------

TEST(session_resumption, brings_the_answer_to_a_client_that_comes_back) {
  session_driver t;
  t.opened().posts(3, request_with("7", "1", "m"));
  t.server(progress("2"));
  t.leaves(3);
  EXPECT_EQ(t.server(result("2")), effects{});
  EXPECT_EQ(t.listens(4, "t-3-1"), (effects{open_stream{4}, says(4, result("1")), end_stream{4}}));
  EXPECT_EQ(t.listens(5, "t-3-0"),
            (effects{open_stream{5}, says(5, progress("7")), says(5, result("1")), end_stream{5}}));
}

TEST(session_resumption, does_not_run_a_call_twice_or_cancel_it) {
  session_driver t;
  t.opened().posts(3, request_with("7", "1", "m"));
  t.server(progress("2"));
  t.leaves(3);
  EXPECT_EQ(t.listens(4, "t-3-1"), (effects{open_stream{4}}));
  t.leaves(4);
  EXPECT_EQ(t.listens(5, "t-3-1"), (effects{open_stream{5}}));
  EXPECT_EQ(t.server(result("2")), (effects{says(5, result("1")), end_stream{5}}));
}

TEST(session_resumption, takes_a_question_that_was_asked_meanwhile_and_its_answer) {
  session_driver t;
  t.opened().posts(3, request_with("7", "1", "m"));
  t.server(progress("2"));
  t.leaves(3);
  t.server(request("9", ask_roots));
  EXPECT_EQ(t.listens(4, "t-3-1"), (effects{open_stream{4}, says(4, request("1", ask_roots))}));
  EXPECT_EQ(t.posts(5, result("1")), (effects{accept{5}, forwarded(result("9"))}));
}

// 2025-11-25, transports, "Sending Messages to the Server" 6
TEST(session_resumption, does_not_let_a_session_end_in_the_gap) {
  session_driver t{{}, {.stream = {.poll = 10s}}};
  t.opened().posts(3, request("1", "m"));
  t.after(15s);
  EXPECT_EQ(t.after(10s), (effects{end_stream{3}}));
  t.after(4min);
  t.server(result("2"));
  EXPECT_EQ(t.listens(4, "t-3-0"), (effects{open_stream{4}, says(4, result("1")), end_stream{4}}));
}

TEST(session_resumption, keeps_a_session_that_has_resumed_its_stream_from_being_idle) {
  session_driver t;
  t.opened().listens(9);
  t.leaves(9);
  t.listens(10, "t-9-0");
  EXPECT_EQ(t.it.deadline(), time_point::max());
  t.after(24h);
  EXPECT_EQ(t.server(changed), (effects{says(10, changed)}));
}

} // namespace troupe::tests::session_sse_test

// Messages of the client: calls, batches, cancellation, and the end of the session.

#include "tests/protocol/session/session_refusals.hpp"
#include "tests/support/session_driver.hpp"

namespace troupe::tests::session_client_test {

namespace {

const rejection session_over{500, -32603, "Session ended before the request completed"};

rejection too_many(std::string id) {
  return {429,
          -32603,
          "Too Many Requests: too many calls of this session are in flight",
          std::move(id),
          {{"Retry-After", "1"}}};
}

std::string is_cancelled(std::string id) { return error_text(id, -32800, "Request cancelled"); }

} // namespace

// -- calls ---------------------------------------------------------------------

TEST(session, answers_a_call_with_JSON_under_the_client_s_id) {
  session_driver t;
  t.opened();
  EXPECT_EQ(t.posts(3, request("\"a\"", "tools/call", R"({"n":18446744073709551616})")),
            (effects{asked(request("2", "tools/call", R"({"n":18446744073709551616})"), "2")}));
  EXPECT_EQ(t.server(result("2", R"({"f":1.0})")), (effects{reply{3, result("\"a\"", R"({"f":1.0})")}}));
}

// Some servers return an integer id as a string.
TEST(session, takes_an_answer_whose_id_came_back_as_a_string) {
  session_driver t;
  t.opened().posts(3, request("7", "m"));
  EXPECT_EQ(t.server(result("\"2\"")), (effects{reply{3, result("7")}}));
}

// 2025-11-25, base protocol, "Requests"
TEST(session, tells_1_from_its_string) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  t.posts(4, request("\"1\"", "m"));
  t.posts(5, request("\"\"", "m"));
  EXPECT_EQ(t.server(result("3")), (effects{reply{4, result("\"1\"")}}));
  EXPECT_EQ(t.server(result("4")), (effects{reply{5, result("\"\"")}}));
  EXPECT_EQ(t.server(result("2")), (effects{reply{3, result("1")}}));
}

TEST(session, drops_answers_that_are_unknown_double_or_to_nobody) {
  session_driver t;
  t.opened().posts(3, request("7", "m"));
  for (auto& stray : {result("7"), result("1"), result("3"), result("\"x\""), error_text("", -32700, "?")})
    EXPECT_EQ(t.server(stray), effects{}) << stray;
  t.server(result("2"));
  EXPECT_EQ(t.server(result("2")), effects{});
}

// 2025-11-25, base protocol, "Requests"
TEST(session, refuses_an_id_that_is_in_flight) {
  session_driver t;
  t.opened().posts(3, request("7", "m"));
  EXPECT_EQ(t.posts(4, request("7", "n")),
            (effects{reject{4, refused("a request with this id is already in flight", "7")}}));
  EXPECT_EQ(t.posts(5, request("7", "ping")),
            (effects{reject{5, refused("a request with this id is already in flight", "7")}}));
  EXPECT_EQ(t.posts(6, request(R"("\u0037")", "n")), (effects{asked(request("3", "n"), "3")}));
  EXPECT_EQ(t.server(result("2")), (effects{reply{3, result("7")}}));
  EXPECT_EQ(t.posts(7, request("7", "n")), (effects{asked(request("4", "n"), "4")}));
}

// 2025-11-25, ping, "Behavior Requirements" 1
TEST(session, answers_ping_itself) {
  session_driver t;
  t.opened();
  EXPECT_EQ(t.posts(3, request("\"p\"", "ping")), (effects{reply{3, empty_result("\"p\"")}}));
  EXPECT_EQ(t.server(request("\"q\"", "ping")), (effects{forwarded(empty_result("\"q\""))}));
}

// 2025-11-25, ping, "Behavior Requirements" 1
TEST(session, answers_the_server_s_ping_before_it_is_initialized) {
  session_driver t;
  EXPECT_EQ(t.server(request("1", "ping")), (effects{forwarded(empty_result("1"))}));
  t.posts(1, hello("0"));
  EXPECT_EQ(t.server(request("1", "ping")), (effects{forwarded(empty_result("1"))}));
}

TEST(session, has_at_most_so_many_calls_in_flight) {
  session_driver t{{.calls = 3}};
  t.opened();
  EXPECT_EQ(t.posts(10, request("1", "m")), (effects{asked(request("2", "m"), "2")}));
  EXPECT_EQ(t.posts(11, request("2", "m")), (effects{asked(request("3", "m"), "3")}));
  EXPECT_EQ(t.posts(12, request("3", "m")), (effects{asked(request("4", "m"), "4")}));
  EXPECT_EQ(t.posts(20, request("4", "m")), (effects{reject{20, too_many("4")}}));
  t.server(result("2"));
  EXPECT_EQ(t.posts(21, request("4", "m")), (effects{asked(request("5", "m"), "5")}));
}

TEST(session, counts_the_calls_of_a_batch_against_its_limit) {
  auto batch = "[" + request("1", "m") + "," + request("2", "m") + "]";
  for (std::size_t limit : {1u, 2u, 3u}) {
    session_driver t{{.calls = limit}};
    t.opened("2025-03-26");
    auto taken = effects{asked(request("2", "m"), "2"), asked(request("3", "m"), "3")};
    EXPECT_EQ(t.posts(9, batch), limit < 2 ? (effects{reject{9, too_many("2")}}) : taken) << limit;
  }
}

// 2025-11-25, ping, "Behavior Requirements" 1
TEST(session, answers_ping_while_too_many_calls_are_in_flight) {
  session_driver t{{.calls = 1}};
  t.opened().posts(3, request("1", "m"));
  EXPECT_EQ(t.posts(4, request("2", "ping")), (effects{reply{4, empty_result("2")}}));
}

// -- batches -------------------------------------------------------------------

// 2025-03-26, transports, "Sending Messages to the Server" 3
TEST(session, takes_batches_of_2025_03_26_only) {
  auto batch = "[" + request("1", "m") + "]";
  for (auto version : {"2024-11-05", "2025-06-18", "2025-11-25"}) {
    session_driver t;
    t.opened(version);
    EXPECT_EQ(t.posts(3, batch), (effects{reject{3, refused("this session's revision has no batches")}})) << version;
  }
  session_driver t;
  t.opened("2025-03-26");
  EXPECT_EQ(t.posts(3, batch), (effects{asked(request("2", "m"), "2")}));
  EXPECT_EQ(t.server(result("2")), (effects{reply{3, "[" + result("1") + "]"}}));
}

// 2025-03-26, transports, "Sending Messages to the Server" 3
TEST(session, has_no_batches_before_there_is_a_version) {
  session_driver t;
  EXPECT_EQ(t.posts(1, "[" + hello("1") + "]"),
            (effects{reject{1, refused("this session's revision has no batches")}}));
}

// 2025-03-26, lifecycle, "Initialization"
TEST(session, refuses_initialize_in_a_batch) {
  session_driver t;
  t.opened("2025-03-26");
  EXPECT_EQ(t.posts(3, "[" + request("1", "m") + "," + hello("2") + "]"),
            (effects{reject{3, refused("initialize is never part of a batch")}}));
}

// 2025-03-26, transports, "Sending Messages to the Server" 4
TEST(session, accepts_a_batch_without_requests) {
  session_driver t;
  t.opened("2025-03-26");
  EXPECT_EQ(t.posts(3, "[" + note("notifications/a") + "," + note("notifications/b") + "]"),
            (effects{accept{3}, forwarded(note("notifications/a")), forwarded(note("notifications/b"))}));
}

// 2025-03-26, transports, "Sending Messages to the Server" 5
TEST(session, answers_a_batch_at_once_when_all_its_answers_are_there) {
  session_driver t;
  t.opened("2025-03-26");
  EXPECT_EQ(
      t.posts(3, "[" + request("1", "m") + "," + note("notifications/a") + "," + request("2", "ping") + "," +
                     request("3", "n") + "]"),
      (effects{asked(request("2", "m"), "2"), forwarded(note("notifications/a")), asked(request("3", "n"), "3")}));
  EXPECT_EQ(t.server(result("3")), effects{});
  EXPECT_EQ(t.server(result("2")),
            (effects{reply{3, "[" + empty_result("2") + "," + result("3") + "," + result("1") + "]"}}));
}

// 2025-03-26, transports, "Sending Messages to the Server" 3
TEST(session, refuses_a_batch_of_responses_and_others) {
  session_driver t;
  t.opened("2025-03-26");
  EXPECT_EQ(t.posts(3, "[" + result("1") + "," + request("1", "m") + "]"),
            (effects{reject{3, refused("a batch of responses has nothing else")}}));
}

// 2025-03-26, base protocol, "Requests"
TEST(session, refuses_a_batch_with_an_id_twice_or_in_flight) {
  session_driver t;
  t.opened("2025-03-26").posts(3, request("1", "m"));
  auto twice = refused("a request with this id is already in flight", "2");
  EXPECT_EQ(t.posts(4, "[" + request("2", "m") + "," + request("2", "m") + "]"), (effects{reject{4, twice}}));
  EXPECT_EQ(t.posts(5, "[" + request("2", "ping") + "," + request("2", "m") + "]"), (effects{reject{5, twice}}));
  auto in_flight = refused("a request with this id is already in flight", "1");
  EXPECT_EQ(t.posts(6, "[" + request("2", "m") + "," + request("1", "m") + "]"), (effects{reject{6, in_flight}}));
  EXPECT_EQ(t.posts(7, request("2", "m")), (effects{asked(request("3", "m"), "3")}));
}

// -- cancellation --------------------------------------------------------------

// 2025-11-25, cancellation, "Behavior Requirements" 3
TEST(session, answers_a_cancelled_call_with_an_error_in_JSON) {
  session_driver t;
  t.opened().posts(3, request("\"a\"", "m"));
  EXPECT_EQ(t.posts(4, cancelled("\"a\"")),
            (effects{accept{4}, forwarded(cancelled("2")), reply{3, is_cancelled("\"a\"")}}));
  EXPECT_EQ(t.server(result("2")), effects{});
}

// 2025-11-25, cancellation, "Behavior Requirements" 3
TEST(session, ends_the_stream_of_a_cancelled_call) {
  session_driver t;
  t.opened().posts(3, request("0", "m"));
  t.after(15s);
  EXPECT_EQ(t.posts(4, cancelled("0")), (effects{accept{4}, forwarded(cancelled("2")), end_stream{3}}));
}

TEST(session, cancels_a_call_whose_client_is_gone) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  t.leaves(3);
  EXPECT_EQ(t.posts(4, cancelled("1")), (effects{accept{4}, forwarded(cancelled("2"))}));
}

TEST(session, relays_the_reason_of_a_cancellation) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  auto text = [](std::string id) {
    return note("notifications/cancelled", R"({"reason":"1 is","requestId": )" + id + " }");
  };
  EXPECT_EQ(t.posts(4, text("1")), (effects{accept{4}, forwarded(text("2")), reply{3, is_cancelled("1")}}));
}

// 2025-11-25, cancellation, "Error Handling"
TEST(session, ignores_a_cancellation_of_what_is_unknown_or_over) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  t.server(result("2"));
  for (auto& stray : {cancelled("1"), cancelled("2"), cancelled("\"1\""), cancelled("0"), cancelled("null"),
                      note("notifications/cancelled")})
    EXPECT_EQ(t.posts(4, stray), (effects{accept{4}})) << stray;
  t.posts(5, request("5", "m"));
  t.posts(6, cancelled("5"));
  EXPECT_EQ(t.posts(7, cancelled("5")), (effects{accept{7}}));
}

TEST(session, answers_the_rest_of_a_batch_when_a_part_is_cancelled) {
  session_driver t;
  t.opened("2025-03-26").posts(3, "[" + request("1", "m") + "," + request("2", "m") + "]");
  EXPECT_EQ(t.posts(4, cancelled("1")), (effects{accept{4}, forwarded(cancelled("2"))}));
  EXPECT_EQ(t.server(result("3")), (effects{reply{3, "[" + is_cancelled("1") + "," + result("2") + "]"}}));
}

TEST(session, cancels_a_call_that_came_in_the_same_batch) {
  session_driver t;
  t.opened("2025-03-26");
  EXPECT_EQ(
      t.posts(3, "[" + request("1", "m") + "," + cancelled("1") + "]"),
      (effects{asked(request("2", "m"), "2"), forwarded(cancelled("2")), reply{3, "[" + is_cancelled("1") + "]"}}));
}

// -- loss of the client ----------------------------------------------------------

// 2025-11-25, transports, "Sending Messages to the Server" 6
TEST(session, finishes_a_call_whose_client_is_gone) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  EXPECT_EQ(t.leaves(3), effects{});
  EXPECT_EQ(t.posts(4, request("1", "m")),
            (effects{reject{4, refused("a request with this id is already in flight", "1")}}));
  EXPECT_EQ(t.server(result("2")), effects{});
  EXPECT_EQ(t.posts(5, request("1", "m")), (effects{asked(request("3", "m"), "3")}));
}

TEST(session, publishes_nothing_on_a_stream_whose_client_is_gone) {
  session_driver t;
  t.opened().posts(3, request_with("\"p\"", "1", "m"));
  EXPECT_EQ(t.server(progress("2")), (effects{open_stream{3}, says(3, progress("\"p\""))}));
  t.leaves(3);
  EXPECT_EQ(t.server(progress("2", "2")), effects{});
  EXPECT_EQ(t.server(result("2")), effects{});
}

TEST(session, ignores_the_loss_of_what_is_answered_or_unknown) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  t.server(result("2"));
  for (exchange_id gone : {0, 1, 2, 3, 99})
    EXPECT_EQ(t.leaves(gone), effects{}) << gone;
  EXPECT_EQ(t.posts(4, request("1", "m")), (effects{asked(request("3", "m"), "3")}));
}

// -- DELETE ----------------------------------------------------------------------

// 2025-11-25, transports, "Session Management" 5
TEST(session, ends_by_DELETE_with_all_that_is_in_flight) {
  session_driver t;
  t.opened().posts(3, request_with("\"p\"", "1", "m"));
  t.server(progress("2"));
  t.posts(4, request("2", "m"));
  t.posts(5, request("3", "m"));
  t.leaves(5);
  t.listens(6);
  t.listens(7);
  EXPECT_EQ(t.deletes(8), (effects{confirm_end{8}, end_stream{3}, reject{4, session_over}, end_stream{6}, end_stream{7},
                                   end_session{"its client ended it"}}));
}

// 2025-11-25, transports, "Session Management" 3
TEST(session, refuses_all_after_its_end_and_says_nothing_more) {
  session_driver t;
  t.opened().posts(3, request_with("\"p\"", "1", "m"));
  t.server(progress("2"));
  t.server(request("9", "roots/list"));
  t.deletes(4);
  EXPECT_EQ(t.posts(5, request("2", "m")), (effects{reject{5, no_session}}));
  EXPECT_EQ(t.posts(6, request("2", "ping")), (effects{reject{6, no_session}}));
  EXPECT_EQ(t.posts(7, note("notifications/n")), (effects{reject{7, no_session}}));
  EXPECT_EQ(t.posts(8, hello("3")), (effects{reject{8, no_session}}));
  EXPECT_EQ(t.listens(9), (effects{reject{9, no_session}}));
  EXPECT_EQ(t.deletes(10), (effects{reject{10, no_session}}));
  for (auto& text :
       {result("2"), progress("2"), request("1", "ping"), request("2", "m"), note("notifications/n"), cancelled("9")})
    EXPECT_EQ(t.server(text), effects{}) << text;
  EXPECT_EQ(t.leaves(3), effects{});
  EXPECT_EQ(t.after(24h), effects{});
  EXPECT_EQ(t.drain(), effects{});
  EXPECT_EQ(t.server_lost("x"), effects{});
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

// RFC 8259, 6: some JSON libraries only have doubles.
TEST(session_ids, are_equal_when_their_numbers_are_and_given_back_as_they_came) {
  session_driver t;
  t.opened().posts(3, request_with("5.0", "7.0", "m"));
  EXPECT_EQ(t.posts(4, request("7", "m")),
            (effects{reject{4, refused("a request with this id is already in flight", "7")}}));
  EXPECT_EQ(t.server(progress("2.0")), (effects{open_stream{3}, says(3, progress("5.0"))}));
  EXPECT_EQ(t.server(result("2e0")), (effects{says(3, result("7.0")), end_stream{3}}));
}

TEST(session_ids, are_cancelled_by_equal_numbers) {
  session_driver t;
  t.opened().posts(3, request("7", "m"));
  EXPECT_EQ(t.posts(4, cancelled("70e-1")),
            (effects{accept{4}, forwarded(cancelled("2")), reply{3, error_text("7", -32800, "Request cancelled")}}));
}

} // namespace troupe::tests::session_client_test

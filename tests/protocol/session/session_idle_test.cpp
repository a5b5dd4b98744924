// The end of unused sessions.

#include "tests/support/session_driver.hpp"

namespace troupe::tests::session_idle_test {

// 2025-11-25, transports, "Session Management" 3
TEST(session_idle, ends_after_30_minutes) {
  session_driver t;
  t.opened();
  EXPECT_EQ(t.it.deadline(), t.now + 30min);
  EXPECT_EQ(t.after(30min - 1ns), effects{});
  EXPECT_EQ(t.after(1ns), (effects{end_session{"it was idle"}}));
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

// 2025-11-25, transports, "Sending Messages to the Server" 6
TEST(session_idle, is_counted_from_the_end_of_a_stream_that_polls) {
  session it{{.idle = 10s}, std::make_unique<http_delivery>(http_limits{.stream = {.poll = 15s}}, "t"), time_point{}};
  auto at = [](std::chrono::nanoseconds time) { return time_point{} + time; };
  auto body = [](std::string text) { return std::get<post_body>(read_body(std::move(text))); };
  it.client_sent(1, body(hello("0")), at(0s));
  it.server_sent(std::get<message>(read_message(welcome("1"))), at(0s));
  it.client_listens(2, "", at(0s));
  EXPECT_EQ(it.tick(at(15s)), (effects{end_stream{2}}));
  EXPECT_EQ(it.tick(at(25s - 1ns)), effects{});
  EXPECT_EQ(it.tick(at(25s)), (effects{end_session{"its client lost its stream and did not come back"}}));
}

// 2025-11-25, transports, "Session Management" 3
TEST(session_idle, begins_anew_with_every_request) {
  for (auto& text : {initialized, request("1", "ping"), result("9"), cancelled("5")}) {
    session_driver t;
    t.opened().after(29min);
    t.posts(3, text);
    EXPECT_EQ(t.after(30min - 1ns), effects{}) << text;
    EXPECT_EQ(t.after(1ns), (effects{end_session{"it was idle"}})) << text;
  }
}

TEST(session_idle, does_not_begin_anew_with_a_refused_request) {
  session_driver t;
  t.opened().after(29min);
  t.posts(3, hello("1"));
  EXPECT_EQ(t.after(1min), (effects{end_session{"it was idle"}}));
}

// 2025-11-25, transports, "Session Management" 3
TEST(session_idle, does_not_count_while_a_call_is_in_flight) {
  session_driver t{{.request = 2h, .request_cap = 2h}};
  t.opened().posts(3, request("1", "m"));
  t.leaves(3);
  EXPECT_EQ(t.after(1h), effects{});
  t.server(result("2"));
  EXPECT_EQ(t.it.deadline(), t.now + 30min);
  EXPECT_EQ(t.after(30min - 1ns), effects{});
  EXPECT_EQ(t.after(1ns), (effects{end_session{"it was idle"}}));
}

// 2025-11-25, transports, "Session Management" 3
TEST(session_idle, does_not_count_while_a_stream_is_open) {
  session_driver t;
  t.opened().listens(9);
  t.listens(10);
  EXPECT_EQ(t.it.deadline(), time_point::max());
  t.after(1h);
  t.leaves(9);
  EXPECT_EQ(t.after(1h), effects{});
  t.listens(11);
  t.leaves(10);
  EXPECT_EQ(t.after(1h), effects{});
}

TEST(session_idle, ends_after_5_minutes_when_its_client_has_lost_its_stream) {
  const std::string why = "its client lost its stream and did not come back";
  session_driver t;
  t.opened().listens(9);
  t.listens(10);
  t.leaves(9);
  t.after(1h);
  t.leaves(10);
  EXPECT_EQ(t.after(5min - 1ns), effects{});
  EXPECT_EQ(t.after(1ns), (effects{end_session{why}}));
  session_driver call;
  call.opened().posts(3, request_with("7", "1", "m"));
  call.server(progress("2"));
  call.leaves(3);
  call.after(4min);
  call.server(result("2"));
  EXPECT_EQ(call.after(5min - 1ns), effects{});
  EXPECT_EQ(call.after(1ns), (effects{end_session{why}}));
}

TEST(session_idle, is_whole_again_when_a_client_that_lost_its_stream_comes_back) {
  session_driver t;
  t.opened().listens(9);
  t.leaves(9);
  t.after(4min);
  t.posts(10, request("1", "ping"));
  EXPECT_EQ(t.it.deadline(), t.now + 30min);
  t.listens(11);
  t.leaves(11);
  t.after(4min);
  t.listens(12);
  EXPECT_EQ(t.after(1h), effects{});
}

TEST(session_idle, is_no_shorter_for_a_client_that_lost_no_stream) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  t.leaves(3);
  t.server(result("2"));
  EXPECT_EQ(t.it.deadline(), t.now + 30min);
  session_driver ended;
  ended.opened().posts(3, request_with("7", "1", "m"));
  ended.server(progress("2"));
  ended.server(result("2"));
  EXPECT_EQ(ended.after(30min - 1ns), effects{});
}

TEST(session_idle, begins_anew_when_a_late_call_has_failed) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  t.leaves(3);
  t.after(40min);
  EXPECT_EQ(t.it.deadline(), t.now + 30min);
}

TEST(session_idle, ends_what_never_began) {
  session_driver t;
  EXPECT_EQ(t.after(30s), (effects{end_session{"its client did not initialize it"}}));
}

} // namespace troupe::tests::session_idle_test

// The beginning of a session: `initialize`, its answer, and the messages allowed before it.

#include "tests/protocol/session/session_refusals.hpp"
#include "tests/support/session_driver.hpp"

namespace troupe::tests::session_initialize_test {

TEST(session_begins, by_forwarding_initialize_under_an_id_of_its_own) {
  session_driver t;
  EXPECT_EQ(t.posts(7, hello("\"first\"")), (effects{asked(hello("1"), "1")}));
  EXPECT_EQ(t.server(welcome("1")), (effects{reply{7, welcome("\"first\""), true}}));
}

TEST(session_begins, with_a_progress_token_of_its_own) {
  session_driver t;
  EXPECT_EQ(t.posts(7, request_with("\"p\"", "0", "initialize")),
            (effects{asked(request_with("1", "1", "initialize"), "1")}));
}

// 2025-11-25, lifecycle, "Version Negotiation"
TEST(session_begins, by_asking_for_a_version_that_the_gateway_knows) {
  for (auto known : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"})
    EXPECT_EQ(session_driver{}.posts(1, hello("0", known)), (effects{asked(hello("1", known), "1")}));
  for (auto unknown : {"2026-07-28", "1.0", "", "DRAFT"})
    EXPECT_EQ(session_driver{}.posts(1, hello("0", unknown)), (effects{asked(hello("1", "2025-11-25"), "1")}));
}

TEST(session_begins, by_leaving_a_version_to_the_server_that_is_no_string) {
  for (auto params : {"{}", R"({"protocolVersion":1})", R"({"protocolVersion":null})"})
    EXPECT_EQ(session_driver{}.posts(1, request("0", "initialize", params)),
              (effects{asked(request("1", "initialize", params), "1")}));
}

TEST(session_begins, with_every_version_that_the_gateway_knows) {
  for (auto known : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    session_driver t;
    t.posts(1, hello("0"));
    EXPECT_EQ(t.server(welcome("1", known)), (effects{reply{1, welcome("0", known), true}}));
  }
}

TEST(session_begins, only_when_the_server_agrees) {
  session_driver t;
  t.posts(1, hello("0"));
  EXPECT_EQ(t.server(failed("1", "no")),
            (effects{reply{1, failed("0", "no")}, end_session{"its server refused to initialize"}}));
  EXPECT_EQ(t.posts(2, request("1", "m")), (effects{reject{2, no_session}}));
}

TEST(session_begins, only_on_a_version_that_the_gateway_knows) {
  const std::string why = "The MCP server answered initialize with a protocol version that is not known";
  for (auto bad :
       {R"({"protocolVersion":"2026-07-28"})", R"({"protocolVersion":1})", "{}", "null", "[]", "\"2025-11-25\""}) {
    session_driver t;
    t.posts(1, hello("0"));
    EXPECT_EQ(t.server(result("1", bad)), (effects{reply{1, failed("0", why)}, end_session{why}})) << bad;
  }
}

TEST(session_begins, only_in_time) {
  const std::string why = "The MCP server did not answer within 30 s";
  session_driver t;
  t.posts(1, hello("0"));
  EXPECT_EQ(t.it.deadline(), t.now + 30s);
  EXPECT_EQ(t.after(30s - 1ns), effects{});
  EXPECT_EQ(t.after(1ns), (effects{reply{1, failed("0", why)}, end_session{why}}));
  EXPECT_EQ(t.server(welcome("1")), effects{});
}

TEST(session_begins, later_when_the_gateway_lacks_what_a_start_takes) {
  const std::string why = "the gateway is out of descriptors";
  const effects refused{reject{1, unavailable(why, "0", 5s)}, end_session{why}};
  session_driver t;
  t.posts(1, hello("0"));
  EXPECT_EQ(without_positions(t.it.server_lost(why, t.now, true)), refused);
  session_driver supervised;
  supervised.posts(1, hello("0"));
  auto answer = gateway_message(failed("1", why));
  answer.is_shortage = true;
  auto told = without_positions(supervised.it.server_sent(std::move(answer), supervised.now));
  EXPECT_EQ(told.front(), refused.front());
  EXPECT_EQ(told.size(), 2u);
}

// Several servers, of which some start for a call.
TEST(session_begins, with_calls_that_are_refused_for_now_when_a_server_of_several_cannot_start) {
  const std::string why = "the gateway is out of descriptors";
  const auto lacking = [&](std::string own) {
    auto answer = gateway_message(failed(own, why));
    answer.is_shortage = true;
    return answer;
  };
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  EXPECT_EQ(without_positions(t.it.server_sent(lacking("2"), t.now)), (effects{reject{3, unavailable(why, "1", 5s)}}));
  t.posts(4, request_with("\"p\"", "5", "m"));
  t.server(progress("3"));
  EXPECT_EQ(without_positions(t.it.server_sent(lacking("3"), t.now)),
            (effects{says(4, failed("5", unavailable(why).text)), end_stream{4}}))
      << "its status was told";
}

TEST(session_begins, fails_the_calls_of_a_session_that_began_whatever_its_server_lacks) {
  session_driver t;
  t.opened().posts(3, request("1", "m"));
  EXPECT_EQ(without_positions(t.it.server_lost("it is gone", t.now, true)),
            (effects{reply{3, failed("1", "it is gone")}, end_session{"it is gone"}}));
}

TEST(session_begins, only_when_the_server_lives) {
  session_driver t;
  t.posts(1, hello("0"));
  EXPECT_EQ(t.server_lost("no such file"),
            (effects{reply{1, failed("0", "no such file")}, end_session{"no such file"}}));
  session_driver before;
  EXPECT_EQ(before.server_lost("no such file"), (effects{end_session{"no such file"}}));
  EXPECT_EQ(before.posts(1, hello("0")), (effects{reject{1, no_session}}));
}

// The session's id is sent in that answer only (2025-11-25, transports, "Session Management" 1).
TEST(session_begins, only_when_the_client_waits_for_it) {
  session_driver t;
  t.posts(1, hello("0"));
  EXPECT_EQ(t.leaves(1), (effects{end_session{"its client left"}}));
  EXPECT_EQ(t.server(welcome("1")), effects{});
}

TEST(session_begins, with_an_answer_in_JSON_whatever_the_server_says_first) {
  session_driver t;
  t.posts(1, request_with("\"p\"", "0", "initialize"));
  EXPECT_EQ(t.server(note("notifications/message")), effects{});
  EXPECT_EQ(t.server(progress("1")), effects{});
  EXPECT_EQ(t.server(request("9", "custom/thing")), effects{});
  EXPECT_EQ(t.after(20s), effects{});
  EXPECT_EQ(t.server(welcome("1")), (effects{reply{1, welcome("0"), true}}));
}

TEST(session_begins, only_once) {
  session_driver t;
  t.posts(1, hello("0"));
  EXPECT_EQ(t.posts(2, hello("1")), (effects{reject{2, refused("this session is already initialized", "1")}}));
  t.server(welcome("1"));
  EXPECT_EQ(t.posts(3, hello("2")), (effects{reject{3, refused("this session is already initialized", "2")}}));
  EXPECT_EQ(t.posts(4, request("1", "m")), (effects{asked(request("2", "m"), "2")}));
}

// 2025-11-25, lifecycle, "Initialization"
TEST(session_begins, before_it_takes_calls_but_for_ping) {
  session_driver t;
  t.posts(1, hello("0"));
  EXPECT_EQ(t.posts(2, request("1", "tools/list")),
            (effects{reject{2, refused("initialize has not been answered yet", "1")}}));
  EXPECT_EQ(t.posts(3, request("2", "ping")), (effects{reply{3, empty_result("2")}}));
  EXPECT_EQ(t.server(welcome("1")), (effects{reply{1, welcome("0"), true}}));
}

// 2025-11-25, lifecycle, "Initialization"
TEST(session_begins, before_its_server_hears_what_the_client_says_early) {
  session_driver t;
  t.posts(1, hello("0"));
  EXPECT_EQ(t.posts(2, initialized), (effects{accept{2}}));
  EXPECT_EQ(t.posts(3, note("notifications/roots/list_changed")), (effects{accept{3}}));
  EXPECT_EQ(t.posts(4, note("notifications/x")), (effects{accept{4}}));
  EXPECT_EQ(t.server(welcome("1")),
            (effects{reply{1, welcome("0"), true}, forwarded(initialized),
                     forwarded(note("notifications/roots/list_changed")), forwarded(note("notifications/x"))}));
  EXPECT_EQ(t.posts(5, note("notifications/y")), (effects{accept{5}, forwarded(note("notifications/y"))}));
}

TEST(session_begins, with_a_bounded_number_of_early_messages) {
  session_driver t{{.held = 2}};
  t.posts(1, hello("0"));
  const auto why = refused("initialize has not been answered yet, and too much waits for it", "");
  EXPECT_EQ(t.posts(2, initialized), (effects{accept{2}}));
  EXPECT_EQ(t.posts(3, note("notifications/x")), (effects{accept{3}}));
  EXPECT_EQ(t.posts(4, note("notifications/y")), (effects{reject{4, why}}));
  EXPECT_EQ(t.server(welcome("1")),
            (effects{reply{1, welcome("0"), true}, forwarded(initialized), forwarded(note("notifications/x"))}));
}

TEST(session_begins, with_bounded_bytes_of_early_messages) {
  for (std::size_t more : {0, 1, 2}) {
    session_driver t{{.held_bytes = initialized.size() + note("notifications/x").size() - 1 + more}};
    t.posts(1, hello("0"));
    t.posts(2, initialized);
    EXPECT_EQ(t.posts(3, note("notifications/x")) == effects{accept{3}}, more >= 1) << more;
  }
}

TEST(session_begins, without_what_the_client_said_early_when_its_server_refuses) {
  session_driver t;
  t.posts(1, hello("0"));
  t.posts(2, initialized);
  EXPECT_EQ(t.server(failed("1", "no")),
            (effects{reply{1, failed("0", "no")}, end_session{"its server refused to initialize"}}));
}

// 2025-11-25, cancellation, "Behavior Requirements" 2
TEST(session_begins, even_when_the_client_cancels_initialize) {
  session_driver t;
  t.posts(1, hello("0"));
  EXPECT_EQ(t.posts(2, cancelled("0")), (effects{accept{2}}));
  EXPECT_EQ(t.server(welcome("1")), (effects{reply{1, welcome("0"), true}}));
}

// 2025-11-25, lifecycle, "Initialization"
TEST(session, takes_calls_before_the_client_says_initialized) {
  session_driver t;
  t.agreed();
  EXPECT_EQ(t.posts(2, request("1", "tools/list")), (effects{asked(request("2", "tools/list"), "2")}));
}

TEST(session, forwards_initialized_and_other_notifications_as_they_are) {
  session_driver t;
  t.agreed();
  EXPECT_EQ(t.posts(2, initialized), (effects{accept{2}, forwarded(initialized)}));
  EXPECT_EQ(t.posts(3, note("notifications/roots/list_changed")),
            (effects{accept{3}, forwarded(note("notifications/roots/list_changed"))}));
  EXPECT_EQ(t.posts(4, note("notifications/x", R"({"n":1.0})")),
            (effects{accept{4}, forwarded(note("notifications/x", R"({"n":1.0})"))}));
}

} // namespace troupe::tests::session_initialize_test

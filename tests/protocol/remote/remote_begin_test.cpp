// The beginning of a session with a remote server: message order, session id, transport.

#include "tests/support/remote_driver.hpp"

namespace troupe::tests::remote_begin_test {

namespace {

http_fields session_of(std::string id) { return {{"Content-Type", "application/json"}, {"mcp-session-id", id}}; }

send_call starts(std::string text) {
  return {1, "POST", site, post_fields(), std::move(text), 6min, call_priority::request};
}

} // namespace

// -- order -------------------------------------------------------------------------

// 2025-11-25, transports, "Session Management" 1
TEST(remote_begins, with_initialize_and_no_session) {
  remote_driver t;
  EXPECT_EQ(t.sends(hello("0")), (remote_effects{starts(hello("0"))}));
  EXPECT_EQ(t.answers(1, 200, session_of("s1"), welcome("0")), (remote_effects{takes(welcome("0"))}));
}

TEST(remote_begins, by_listening_once_the_server_is_initialized) {
  remote_driver t;
  t.agreed();
  EXPECT_EQ(t.sends(initialized), (remote_effects{tells(2, initialized)}));
  EXPECT_EQ(t.head(2, 202), (remote_effects{listens(3)}));
  EXPECT_EQ(t.ends(2), remote_effects{});
}

TEST(remote_begins, with_nothing_before_initialize_is_answered) {
  remote_driver t;
  EXPECT_EQ(t.sends(note("early")), remote_effects{});
  EXPECT_EQ(t.sends(hello("0")), (remote_effects{starts(hello("0"))}));
  EXPECT_EQ(t.sends(request("1", "m")), remote_effects{});
  EXPECT_EQ(t.answers(1, 200, session_of("s1"), welcome("0")),
            (remote_effects{takes(welcome("0")), tells(2, note("early")), asks(3, request("1", "m"))}));
}

TEST(remote_begins, with_nothing_later_than_initialized_before_the_server_has_it) {
  remote_driver t;
  t.agreed();
  EXPECT_EQ(t.sends(request("1", "ping")), (remote_effects{asks(2, request("1", "ping"))}));
  EXPECT_EQ(t.sends(initialized), (remote_effects{tells(3, initialized)}));
  EXPECT_EQ(t.sends(request("2", "m")), remote_effects{});
  EXPECT_EQ(t.head(3, 202), (remote_effects{listens(4)}));
  EXPECT_EQ(t.head(4, 200, events), (remote_effects{asks(5, request("2", "m"))}));
}

// Messages of a server before the GET are lost, and a request on another connection may overtake the GET.
TEST(remote_begins, with_no_request_before_the_server_is_listened_to) {
  remote_driver t;
  t.confirmed().sends(request("1", "m"));
  EXPECT_EQ(t.sends(note("n")), remote_effects{});
  EXPECT_EQ(t.head(3, 200, events), (remote_effects{asks(4, request("1", "m")), tells(5, note("n"))}));
}

TEST(remote_begins, with_requests_when_the_server_cannot_be_listened_to) {
  remote_driver refuses;
  refuses.confirmed().sends(request("1", "m"));
  EXPECT_EQ(refuses.head(3, 405).back(), (remote_effect{asks(4, request("1", "m"))}));
  remote_driver breaks;
  breaks.confirmed().sends(request("1", "m"));
  EXPECT_EQ(breaks.fails(3, "reset"), (remote_effects{asks(4, request("1", "m"))}));
  remote_driver without_token;
  without_token.confirmed().sends(request("1", "m"));
  EXPECT_EQ(without_token.withholds(3, "refused"), (remote_effects{asks(4, request("1", "m"))}));
}

// A server may begin the stream only when it has a message for it.
TEST(remote_begins, with_requests_soon_when_the_server_is_slow_to_be_listened_to) {
  remote_driver t;
  t.confirmed().sends(request("1", "m"));
  EXPECT_EQ(t.after(500ms - 1ns), remote_effects{});
  EXPECT_EQ(t.in_time(),
            (remote_effects{log_note{log_note::weight::debug, "server has not begun the stream of its own messages in "
                                                              "time: it may lose some that it says before"},
                            asks(4, request("1", "m"))}));
  EXPECT_EQ(t.it.deadline(), t.now + 6min);
  EXPECT_EQ(t.sends(request("2", "m")), (remote_effects{asks(5, request("2", "m"))}));
  EXPECT_EQ(t.head(3, 200, events), remote_effects{});
}

TEST(remote_begins, with_no_wait_for_the_stream_when_it_is_begun_again) {
  remote_driver t;
  t.opened().ends(3);
  EXPECT_EQ(t.in_time(), (remote_effects{listens(4)}));
  EXPECT_EQ(t.sends(request("1", "m")), (remote_effects{asks(5, request("1", "m"))}));
}

TEST(remote_begins, though_the_server_refuses_to_be_told_that_it_is_initialized) {
  remote_driver refuses;
  refuses.agreed().sends(initialized);
  refuses.sends(request("2", "m"));
  EXPECT_EQ(refuses.head(2, 400),
            (remote_effects{warns("a message was refused: The remote MCP server answered HTTP 400"), listens(3)}));
  EXPECT_EQ(refuses.head(3, 200, events), (remote_effects{asks(4, request("2", "m"))}));
  remote_driver breaks;
  breaks.agreed().sends(initialized);
  EXPECT_EQ(
      breaks.fails(2, "reset"),
      (remote_effects{warns("a message did not arrive: The remote MCP server did not answer: reset"), listens(3)}));
  remote_driver silent;
  silent.agreed().sends(initialized);
  EXPECT_EQ(silent.after(30s - 1ns), remote_effects{});
  EXPECT_EQ(silent.after(1ns),
            (remote_effects{drop_call{2},
                            warns("a message did not arrive: The remote MCP server fell silent before it answered"),
                            listens(3)}));
}

TEST(remote_begins, with_bounds_on_what_waits) {
  remote_driver t;
  t.sends(hello("0"));
  for (int i = 1; i < 1000; ++i)
    ASSERT_EQ(t.sends(request(std::to_string(i), "m")), remote_effects{});
  EXPECT_EQ(t.sends(request("1000", "m")),
            (remote_effects{takes(failed("1000", "Too many requests to the remote MCP server are in flight"))}));
  EXPECT_EQ(t.sends(note("n")), remote_effects{});
  EXPECT_EQ(t.sends(note("n")), (remote_effects{warns("too much waits for the server to be ready")}));
}

TEST(remote_begins, with_bounds_on_the_bytes_of_what_waits) {
  auto first = note("n"), second = request("1", "m");
  for (auto spare : {0, -1}) {
    auto options = at_site();
    options.held = first.size() + second.size() + static_cast<std::size_t>(spare);
    remote_driver t{options};
    t.sends(hello("0"));
    EXPECT_EQ(t.sends(first), remote_effects{});
    EXPECT_EQ(t.sends(second),
              spare == 0
                  ? remote_effects{}
                  : (remote_effects{takes(failed("1", "Too much waits for the remote MCP server to be ready"))}));
  }
}

TEST(remote_begins, once) {
  remote_driver t;
  t.opened();
  EXPECT_EQ(t.sends(hello("9")),
            (remote_effects{takes(error_text("9", -32600, "Invalid Request: already initialized"))}));
}

TEST(remote_begins, without_what_was_cancelled_while_it_waited) {
  remote_driver t;
  t.sends(hello("0"));
  t.sends(request("1", "m"));
  EXPECT_EQ(t.sends(cancelled("1")), remote_effects{});
  EXPECT_EQ(t.answers(1, 200, json, welcome("0")), (remote_effects{takes(welcome("0"))}));
}

TEST(remote_begins, whoever_cancels_initialize) {
  remote_driver t;
  t.sends(hello("0"));
  EXPECT_EQ(t.sends(cancelled("0")), remote_effects{});
  EXPECT_EQ(t.answers(1, 200, json, welcome("0")), (remote_effects{takes(welcome("0"))}));
}

// -- fields -------------------------------------------------------------------------

// 2025-11-25, transports, "Protocol Version Header"
TEST(remote_fields, name_the_negotiated_version_and_no_session_where_there_is_none) {
  remote_driver t;
  t.sends(hello("0"));
  t.answers(1, 200, json, welcome("0", "2025-03-26"));
  EXPECT_EQ(t.sends(request("1", "m")),
            (remote_effects{send_call{2, "POST", site, post_fields({{"MCP-Protocol-Version", "2025-03-26"}}),
                                      request("1", "m"), 6min, call_priority::request}}));
}

TEST(remote_fields, never_hold_a_version_that_is_no_word) {
  for (auto bad : {R"("2025\r\nX: y")", R"("a b")", "7", "null", R"("é")"}) {
    remote_driver t;
    t.sends(hello("0"));
    t.answers(1, 200, json, result("0", R"({"protocolVersion":)" + std::string{bad} + "}"));
    EXPECT_EQ(t.sends(request("1", "m")), (remote_effects{send_call{2, "POST", site, post_fields(), request("1", "m"),
                                                                    6min, call_priority::request}}))
        << bad;
  }
}

TEST(remote_fields, are_configured_but_never_the_transports_own) {
  auto options = at_site();
  options.headers = {{"Authorization", "Bearer x"}, {"accept", "text/html"},     {"MCP-SESSION-ID", "mine"},
                     {"Host", "elsewhere"},         {"content-length", "1"},     {"X-Tenant", "7"},
                     {"Last-Event-Id", "3"},        {"mcp-protocol-version", ""}};
  remote_driver t{options};
  EXPECT_EQ(t.sends(hello("0")),
            (remote_effects{send_call{1, "POST", site, post_fields({{"Authorization", "Bearer x"}, {"X-Tenant", "7"}}),
                                      hello("0"), 6min, call_priority::request}}));
  t.answers(1, 200, session_of("s1"), welcome("0"));
  EXPECT_EQ(t.it.leave(), (remote_effects{send_last_request{"DELETE",
                                                            site,
                                                            {{"Mcp-Session-Id", "s1"},
                                                             {"MCP-Protocol-Version", "2025-11-25"},
                                                             {"Authorization", "Bearer x"},
                                                             {"X-Tenant", "7"}}}}));
}

TEST(remote_session, is_named_by_visible_characters) {
  for (auto good : {std::string{"!~"}, std::string(1, 'a'), std::string(1024, 'a')}) {
    remote_driver t;
    t.sends(hello("0"));
    EXPECT_EQ(t.answers(1, 200, session_of(good), welcome("0")), (remote_effects{takes(welcome("0"))}));
  }
  for (auto bad : {std::string{}, std::string{"a b"}, std::string{"a\x7f"}, std::string{"\xc3\xa9"},
                   std::string{"a\tb"}, std::string(1025, 'a')}) {
    remote_driver t;
    t.sends(hello("0"));
    EXPECT_EQ(t.head(1, 200, session_of(bad)),
              (remote_effects{takes(failed("0", "The remote MCP server gave an invalid session id")), drop_call{1},
                              lose_server{"the remote MCP server gave an invalid session id"}}));
  }
}

TEST(remote_session, has_one_name) {
  remote_driver t;
  t.sends(hello("0"));
  auto fields = session_of("s1");
  fields.emplace_back("Mcp-Session-Id", "s2");
  EXPECT_EQ(t.head(1, 200, fields),
            (remote_effects{takes(failed("0", "The remote MCP server gave an invalid session id")), drop_call{1},
                            lose_server{"the remote MCP server gave an invalid session id"}}));
}

// 2025-11-25, transports, "Session Management" 1
TEST(remote_session, is_named_by_the_answer_to_initialize_alone) {
  remote_driver t;
  t.opened().sends(request("1", "m"));
  t.answers(4, 200, session_of("other"), result("1"));
  EXPECT_EQ(t.sends(request("2", "m")), (remote_effects{asks(5, request("2", "m"))}));
}

TEST(remote_session, is_named_by_the_head_of_a_stream_too) {
  remote_driver t;
  t.sends(hello("0"));
  auto fields = events;
  fields.emplace_back("Mcp-Session-Id", "s1");
  t.head(1, 200, fields);
  EXPECT_EQ(t.body(1, wire(welcome("0"))), (remote_effects{takes(welcome("0")), release_call{1, true}}));
  EXPECT_EQ(t.sends(initialized), (remote_effects{tells(2, initialized)}));
}

// -- failed beginnings -----------------------------------------------------------------

TEST(remote_begins, later_when_we_had_no_descriptor_left) {
  remote_driver t;
  t.sends(hello("0"));
  auto told = t.fails(1, "Too many open files", true);
  const std::string why = "he remote MCP server did not answer: Too many open files";
  EXPECT_EQ(told, (remote_effects{takes(failed("0", "T" + why)), lose_server{"t" + why, true}}));
  EXPECT_TRUE(std::get<deliver_message>(told.front()).what.is_shortage);
}

TEST(remote_begins, only_when_the_server_agrees) {
  remote_driver t;
  t.sends(hello("0"));
  EXPECT_EQ(t.answers(1, 200, json, failed("0", "no")),
            (remote_effects{takes(failed("0", "no")), lose_server{"the remote MCP server refused to initialize"}}));
  EXPECT_EQ(t.sends(request("1", "m")), remote_effects{});
}

TEST(remote_begins, only_when_the_server_can_be_reached_and_fails_what_waits_with_it) {
  remote_driver t;
  t.sends(hello("0"));
  t.sends(request("1", "m"));
  const std::string why = "he remote MCP server did not answer: connection refused";
  EXPECT_EQ(t.fails(1, "connection refused"),
            (remote_effects{takes(failed("0", "T" + why)), takes(failed("1", "T" + why)), lose_server{"t" + why}}));
  EXPECT_EQ(t.it.deadline(), time_point::max());
  EXPECT_EQ(t.it.leave(), remote_effects{});
}

TEST(remote_begins, only_with_credentials_that_are_not_refused) {
  for (auto status : {"401", "403"}) {
    remote_driver t;
    t.sends(hello("0"));
    auto why = "he remote MCP server refused the gateway's credentials (HTTP " + std::string{status} + ")";
    EXPECT_EQ(t.head(1, std::stoi(status),
                     {{"WWW-Authenticate", "Bearer realm=secret"}, {"Content-Type", "application/json"}}),
              (remote_effects{warns("server refused our credentials (HTTP " + std::string{status} + ")"), drop_call{1},
                              takes(failed("0", "T" + why)), lose_server{"t" + why}}));
  }
}

TEST(remote_begins, where_5xx_is_no_verdict_on_the_transport) {
  remote_driver t;
  t.sends(hello("0"));
  EXPECT_EQ(t.head(1, 503), (remote_effects{drop_call{1}, takes(failed("0", "The remote MCP server answered HTTP 503")),
                                            lose_server{"the remote MCP server answered HTTP 503"}}));
}

// -- detection ----------------------------------------------------------------------------

TEST(remote_detects, HTTP_SSE_where_a_POST_is_refused) {
  for (auto status : {400, 404, 405, 406, 415}) {
    remote_driver t;
    t.sends(hello("0"));
    t.sends(note("n"));
    EXPECT_EQ(t.head(1, status), (remote_effects{drop_call{1}, send_call{2, "GET", site, get_fields(), {}, 0s}}));
    EXPECT_EQ(t.head(2, 200, events), remote_effects{});
    EXPECT_EQ(t.body(2, "event: endpoint\ndata: /messages?id=1\n\n"),
              (remote_effects{send_call{3, "POST", "https://example.com/messages?id=1", post_fields(), hello("0"), 30s,
                                        call_priority::request}}));
  }
}

TEST(remote_detects, that_who_answers_initialize_with_its_own_error_speaks_Streamable_HTTP) {
  remote_driver t;
  t.sends(hello("0"));
  EXPECT_EQ(t.answers(1, 400, json, failed("0", "no")),
            (remote_effects{takes(failed("0", "no")), lose_server{"the remote MCP server refused to initialize"}}));
}

TEST(remote_detects, nothing_where_the_transport_is_configured) {
  remote_driver t{at_site(remote_kind::streamable_http)};
  t.sends(hello("0"));
  EXPECT_EQ(t.head(1, 405), (remote_effects{drop_call{1}, takes(failed("0", "The remote MCP server answered HTTP 405")),
                                            lose_server{"the remote MCP server answered HTTP 405"}}));
}

TEST(remote_detects, and_says_what_either_transport_failed_of) {
  remote_driver t;
  t.sends(hello("0"));
  t.answers(1, 400, json, error_text("", -32000, "Bad\nRequest"));
  const std::string why =
      "he remote MCP server speaks neither Streamable HTTP (The remote MCP server answered HTTP 400: "
      "BadRequest) nor HTTP+SSE (The remote MCP server answered HTTP 404)";
  EXPECT_EQ(t.head(2, 404), (remote_effects{takes(failed("0", "T" + why)), drop_call{2}, lose_server{"t" + why}}));
}

TEST(remote_detects, nothing_in_a_later_refusal) {
  remote_driver t;
  t.opened().sends(request("1", "m"));
  EXPECT_EQ(t.head(4, 405),
            (remote_effects{drop_call{4}, takes(failed("1", "The remote MCP server answered HTTP 405"))}));
}

// -- missing tokens ----------------------------------------------------------------

TEST(remote_begins, not_at_all_when_there_is_no_token_for_it) {
  remote_driver t;
  t.sends(hello("0"));
  const std::string why = "No token for the remote MCP server: nobody asks";
  EXPECT_EQ(t.withholds(1, "nobody asks"),
            (remote_effects{takes(error_text("0", error_code::internal_error, why)), lose_server{why}}));
  EXPECT_EQ(t.withholds(1, "nobody asks"), remote_effects{});
}

TEST(remote_begins, and_ends_when_there_will_be_no_token_any_more) {
  remote_driver t;
  t.opened().sends(request("1", "m"));
  const std::string why = "No token for the remote MCP server: nobody is left";
  EXPECT_EQ(t.it.credentials_lost("nobody is left", t.now),
            (remote_effects{takes(error_text("1", error_code::internal_error, why)), drop_call{3}, drop_call{4},
                            lose_server{why}}));
  EXPECT_EQ(t.it.credentials_lost("nobody is left", t.now), remote_effects{});
  EXPECT_EQ(t.it.leave(), remote_effects{});
}

TEST(remote_begins, and_a_request_without_a_token_fails_alone) {
  remote_driver t;
  t.opened().sends(request("1", "m"));
  EXPECT_EQ(
      t.withholds(4, "a\r\nb"),
      (remote_effects{takes(error_text("1", error_code::internal_error, "No token for the remote MCP server: ab"))}));
  EXPECT_EQ(t.sends(request("2", "m")), (remote_effects{asks(5, request("2", "m"))}));
}

} // namespace troupe::tests::remote_begin_test

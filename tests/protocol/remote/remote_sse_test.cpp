// A remote server over HTTP+SSE.

#include "tests/support/remote_driver.hpp"

namespace troupe::tests::remote_sse_test {

namespace {

const std::string endpoint_event = "event: endpoint\ndata: /m?id=1\n\n";

/// A server configured for HTTP+SSE: call 1 is the stream.
struct old_driver : remote_driver {
  explicit old_driver(remote_options options = at_site(remote_kind::http_sse)) : remote_driver{std::move(options)} {
    sends(hello("0"));
  }
  /// Receives the endpoint, and sends `initialize` as call 2.
  old_driver& connected() {
    head(1, 200, events);
    body(1, endpoint_event);
    return *this;
  }
  /// Receives the answer, and sends `notifications/initialized` as call 3.
  old_driver& opened() {
    connected().answers(2, 202, {}, "Accepted");
    body(1, wire(welcome("0", "2024-11-05")));
    sends(initialized);
    answers(3, 202, {}, "Accepted");
    return *this;
  }
};

send_call posts(http_call_id call, std::string text, http_fields more = {{"MCP-Protocol-Version", "2024-11-05"}}) {
  auto turn = is_request(gateway_message(text)) ? call_priority::request : call_priority::message;
  return {call, "POST", "https://example.com/m?id=1", post_fields(std::move(more)), std::move(text), 30s, turn};
}

/// The effects of losing the server, during the beginning or later.
remote_effects lost(std::string why) { return {takes(failed("0", "T" + why)), drop_call{1}, lose_server{"t" + why}}; }

} // namespace

// 2024-11-05, transports, "HTTP with SSE"
TEST(remote_sse, waits_for_its_endpoint_and_posts_there) {
  remote_driver t{at_site(remote_kind::http_sse)};
  EXPECT_EQ(t.sends(hello("0")), (remote_effects{send_call{1, "GET", site, get_fields(), {}, 0s}}));
  t.head(1, 200, events);
  EXPECT_EQ(t.body(1, endpoint_event), (remote_effects{posts(2, hello("0"), {})}));
  EXPECT_EQ(t.sends(note("n")), remote_effects{});
  EXPECT_EQ(t.body(1, wire(welcome("0", "2024-11-05"))),
            (remote_effects{takes(welcome("0", "2024-11-05")), posts(3, note("n"))}));
}

TEST(remote_sse, sends_nothing_later_than_initialized_before_that_is_accepted) {
  old_driver t;
  t.connected().body(1, wire(welcome("0", "2024-11-05")));
  EXPECT_EQ(t.sends(initialized), (remote_effects{posts(3, initialized)}));
  EXPECT_EQ(t.sends(request("1", "m")), remote_effects{});
  EXPECT_EQ(t.head(3, 202), (remote_effects{posts(4, request("1", "m"))}));
}

TEST(remote_sse, goes_on_when_initialized_is_not_accepted) {
  old_driver t;
  t.connected().body(1, wire(welcome("0", "2024-11-05")));
  t.sends(initialized);
  t.sends(request("1", "m"));
  EXPECT_EQ(t.after(30s).back(), (remote_effect{posts(4, request("1", "m"))}));
}

TEST(remote_sse, takes_answers_from_the_stream_though_the_POST_is_not_accepted_yet) {
  old_driver t;
  t.opened().sends(request("1", "m"));
  EXPECT_EQ(t.body(1, wire(note("n")) + wire(result("1"))), (remote_effects{takes(note("n")), takes(result("1"))}));
  EXPECT_EQ(t.answers(4, 202, {}, "Accepted"), remote_effects{});
}

TEST(remote_sse, lets_go_of_an_accepted_POST_when_too_much_is_on_its_way) {
  old_driver t;
  t.opened();
  constexpr http_call_id first = 4, most = 2000;
  for (auto call = first; call < first + most; ++call) {
    EXPECT_EQ(t.sends(note("n")), remote_effects{posts(call, note("n"))}) << call;
    EXPECT_EQ(t.head(call, 200, events), (remote_effects{release_call{call, true}}));
  }
  EXPECT_EQ(t.sends(note("n")), (remote_effects{drop_call{first}, posts(first + most, note("n"))}));
}

TEST(remote_sse, takes_no_answers_from_a_POST) {
  old_driver t;
  t.opened().sends(request("1", "m"));
  EXPECT_EQ(t.answers(4, 200, json, result("1")), remote_effects{});
  EXPECT_EQ(t.body(1, wire(result("1"))), (remote_effects{takes(result("1"))}));
}

TEST(remote_sse, fails_a_request_that_is_not_accepted) {
  const std::string none = "The remote MCP server did not answer: reset";
  old_driver t;
  t.opened().sends(request("1", "m"));
  t.sends(request("2", "m"));
  t.sends(request("3", "m"));
  t.sends(note("n"));
  EXPECT_EQ(t.head(4, 500), (remote_effects{takes(failed("1", "The remote MCP server answered HTTP 500"))}));
  EXPECT_EQ(t.fails(5, "reset"), (remote_effects{takes(failed("2", none))}));
  EXPECT_EQ(t.fails(7, "reset"), (remote_effects{warns("a message did not arrive: " + none)}));
  EXPECT_EQ(t.after(30s), (remote_effects{drop_call{4}, drop_call{6},
                                          takes(failed("3", "The remote MCP server did not accept the request"))}));
}

TEST(remote_sse, fails_a_request_whose_POST_ends_unanswered) {
  old_driver t;
  t.opened().sends(request("1", "m"));
  EXPECT_EQ(t.ends(4), (remote_effects{takes(failed("1", "The remote MCP server did not answer"))}));
}

// 2024-11-05, transports, "HTTP with SSE"
TEST(remote_sse, takes_a_new_endpoint_for_the_old) {
  old_driver t;
  t.opened().body(1, "event: endpoint\ndata: https://example.com:443/new\n\n");
  auto moved = posts(4, request("1", "m"));
  moved.url = "https://example.com:443/new";
  EXPECT_EQ(t.sends(request("1", "m")), (remote_effects{moved}));
}

// 2024-11-05, transports, "HTTP with SSE"
TEST(remote_sse, is_lost_to_an_endpoint_of_another_origin) {
  for (auto bad : {"https://evil.com/m", "http://example.com/m", "//evil.com/m", "https://example.com:444/m"}) {
    old_driver t;
    t.head(1, 200, events);
    EXPECT_EQ(t.body(1, "event: endpoint\ndata: " + std::string{bad} + "\n\n"),
              lost("he remote MCP server named an endpoint of another origin"));
  }
  for (auto bad : {"::", "https://u:p@example.com/m"}) {
    old_driver t;
    t.head(1, 200, events);
    EXPECT_EQ(t.body(1, "event: endpoint\ndata: " + std::string{bad} + "\n\n"),
              lost("he remote MCP server named an endpoint that is no URL"));
  }
}

// 2024-11-05, transports, "HTTP with SSE"
TEST(remote_sse, is_lost_when_the_endpoint_does_not_come_in_time) {
  old_driver t;
  t.head(1, 200, events);
  EXPECT_EQ(t.after(10s - 1ns), remote_effects{});
  t.body(1, ": alive\n\n");
  EXPECT_EQ(t.after(1ns), lost("he remote MCP server named no endpoint in time"));
}

TEST(remote_sse, is_lost_when_it_cannot_begin) {
  old_driver refused;
  EXPECT_EQ(refused.head(1, 404), lost("he remote MCP server answered HTTP 404"));
  old_driver odd;
  EXPECT_EQ(odd.head(1, 200, json), lost("he remote MCP server answered without a stream of events"));
  old_driver broken;
  const std::string reset = "he stream of the remote MCP server broke: reset";
  EXPECT_EQ(broken.fails(1, "reset"), (remote_effects{takes(failed("0", "T" + reset)), lose_server{"t" + reset}}));
  old_driver unaccepted;
  unaccepted.connected();
  const std::string why = "he remote MCP server answered HTTP 404";
  EXPECT_EQ(unaccepted.head(2, 404),
            (remote_effects{takes(failed("0", "T" + why)), drop_call{1}, drop_call{2}, lose_server{"t" + why}}));
}

TEST(remote_sse, is_lost_with_its_stream) {
  const std::string why = "he remote MCP server closed its stream";
  old_driver t;
  t.opened().sends(request("1", "m"));
  EXPECT_EQ(t.ends(1), (remote_effects{takes(failed("1", "T" + why)), drop_call{4}, lose_server{"t" + why}}));
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(remote_sse, fails_only_the_call_whose_answer_is_too_long) {
  for (auto extra : {-1, 0, 1}) {
    auto options = at_site(remote_kind::http_sse);
    options.message = 1000;
    old_driver t{options};
    t.opened().sends(request("1", "m"));
    t.sends(request("2", "m"));
    auto size = static_cast<std::size_t>(1000 + extra) - std::string{"data: "}.size();
    auto text = result("1", '"' + std::string(size - result("1", "\"\"").size(), 'x') + '"');
    auto told = t.body(1, wire(text));
    if (extra <= 0)
      EXPECT_EQ(told, remote_effects{takes(text)});
    else
      EXPECT_EQ(told.back(), remote_effect{takes(failed("1", "The MCP server's answer is longer than 1000 bytes; "
                                                             "gateway.limits.messageBytes allows more"))});
    EXPECT_EQ(t.body(1, wire(result("2"))), remote_effects{takes(result("2"))});
  }
}

TEST(remote_sse, refuses_a_question_that_is_too_long_and_goes_on) {
  auto options = at_site(remote_kind::http_sse);
  options.message = 200;
  old_driver t{options};
  t.opened();
  auto question = R"({"jsonrpc":"2.0","id":"q","method":"m","params":{"x":")" + std::string(300, 'x') + R"("}})";
  auto told = t.body(1, wire(question));
  ASSERT_EQ(told.size(), 2u);
  auto refused = gateway_message(std::get<send_call>(told.back()).body);
  EXPECT_EQ(refused.id, "\"q\"");
  EXPECT_EQ(t.body(1, wire(note("n"))), remote_effects{takes(note("n"))});
}

TEST(remote_sse, is_lost_when_it_falls_silent_only_when_told) {
  old_driver patient;
  patient.opened();
  EXPECT_EQ(patient.it.deadline(), time_point::max());
  auto options = at_site(remote_kind::http_sse);
  options.listen_silence = 1min;
  old_driver strict{options};
  strict.opened();
  EXPECT_EQ(strict.after(1min), (remote_effects{drop_call{1}, lose_server{"the stream of the remote MCP server fell "
                                                                          "silent"}}));
}

// 2025-11-25, cancellation, "Cancellation Flow"
TEST(remote_sse, cancels_with_a_message) {
  old_driver t;
  t.opened().sends(request("1", "m"));
  t.head(4, 202);
  EXPECT_EQ(t.sends(cancelled("1")), (remote_effects{posts(5, cancelled("1"))}));
  EXPECT_EQ(t.body(1, wire(result("1"))), remote_effects{});
}

TEST(remote_sse, cancels_no_request_before_the_server_has_accepted_it) {
  old_driver t;
  t.opened().sends(request("1", "m"));
  EXPECT_EQ(t.sends(cancelled("1")), remote_effects{});
  EXPECT_EQ(t.head(4, 202), (remote_effects{posts(5, cancelled("1"))}));
}

TEST(remote_sse, does_not_send_a_request_that_is_cancelled_while_it_waits_for_a_connection) {
  old_driver t;
  t.opened().sends(request("1", "m"));
  t.it.call_waits(4);
  EXPECT_EQ(t.sends(cancelled("1")), remote_effects{drop_call{4}});
}

TEST(remote_sse, gives_a_request_its_time_once_it_has_a_connection) {
  old_driver t;
  t.opened().sends(request("1", "m"));
  t.it.call_waits(4);
  t.after(29s);
  t.begins(4);
  EXPECT_EQ(t.after(30s - 1ns), remote_effects{});
  EXPECT_EQ(t.after(1ns), (remote_effects{drop_call{4}, takes(failed("1", "The remote MCP server did not accept the "
                                                                          "request"))}));
}

TEST(remote_sse, cancels_no_request_that_the_server_refused) {
  old_driver t;
  t.opened().sends(request("1", "m"));
  t.sends(cancelled("1"));
  EXPECT_EQ(t.head(4, 500), remote_effects{});
}

TEST(remote_sse, says_no_farewell) {
  old_driver t;
  t.opened();
  EXPECT_EQ(t.it.leave(), remote_effects{drop_call{1}});
}

TEST(remote_sse, skips_events_of_other_types_and_garbage) {
  old_driver t;
  t.opened();
  EXPECT_EQ(t.body(1, "event: ping\ndata: 1\n\n"), remote_effects{});
  auto said = t.body(1, wire("nonsense"));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<log_note>(said.front()));
}

// -- missing tokens ----------------------------------------------------------------

TEST(remote_sse, is_lost_when_there_is_no_token_for_its_stream) {
  old_driver t;
  const std::string why = "No token for the remote MCP server: nobody asks";
  EXPECT_EQ(t.withholds(1, "nobody asks"), (remote_effects{takes(failed("0", why)), lose_server{why}}));
}

TEST(remote_sse, fails_a_request_without_a_token) {
  old_driver t;
  t.opened().sends(request("1", "m"));
  EXPECT_EQ(t.withholds(4, "nobody asks"),
            (remote_effects{takes(failed("1", "No token for the remote MCP server: nobody asks"))}));
}

} // namespace troupe::tests::remote_sse_test

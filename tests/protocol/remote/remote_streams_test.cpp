// Streams of a remote server that break: their resumption, and the stream of the server's own messages.

#include "protocol/access/principal.hpp"
#include "tests/support/remote_driver.hpp"

namespace troupe::tests::remote_streams_test {

namespace {

/// Request 1 is in flight as call 4. Its answer is a stream that has reached event `a`.
struct streaming : remote_driver {
  streaming() {
    opened().sends(request("1", "m"));
    head(4, 200, events);
    body(4, "id: a\ndata:\n\n");
  }
};

const std::string closed = "The remote MCP server closed the stream before it answered";

/// Expects a delay of up to a tenth more than requested, so that clients do not all reconnect at once.
void expect_pause(const remote_driver& t, std::chrono::milliseconds asked) {
  EXPECT_GE(t.it.deadline() - t.now, asked);
  EXPECT_LE(t.it.deadline() - t.now, asked + asked / 10);
}

} // namespace

// -- resuming an answer ----------------------------------------------------------------

// 2025-11-25, transports, "Resumability and Redelivery" 2
TEST(remote_stream, is_resumed_after_the_last_event) {
  streaming t;
  EXPECT_EQ(t.body(4, wire(note("n"), "b")), (remote_effects{takes(note("n"))}));
  EXPECT_EQ(t.ends(4), remote_effects{});
  expect_pause(t, 1s);
  EXPECT_EQ(t.in_time(), (remote_effects{resumes(5, "b")}));
  EXPECT_EQ(t.head(5, 200, events), remote_effects{});
  EXPECT_EQ(t.body(5, wire(result("1"))), (remote_effects{takes(result("1")), release_call{5, true}}));
  EXPECT_EQ(t.ends(5), remote_effects{});
}

// 2025-11-25, transports, "Sending Messages to the Server" 6
TEST(remote_stream, is_resumed_when_the_server_wants) {
  streaming t;
  t.body(4, "retry: 3000\n\n");
  t.fails(4, "reset");
  expect_pause(t, 3s);
}

TEST(remote_stream, is_not_resumed_in_a_storm) {
  streaming t;
  t.body(4, "retry: 0\n\n");
  t.ends(4);
  expect_pause(t, 100ms);
}

// 2025-11-25, transports, "Sending Messages to the Server" 6
TEST(remote_stream, is_given_up_after_five_attempts_in_vain) {
  streaming t;
  t.ends(4);
  http_call_id call = 5;
  for (auto pause : {1000ms, 1500ms, 2250ms, 3375ms, 5062ms}) {
    expect_pause(t, pause);
    EXPECT_EQ(t.in_time(), (remote_effects{resumes(call, "a")}));
    if (call < 9) {
      EXPECT_EQ(t.fails(call, "refused"), remote_effects{});
    }
    ++call;
  }
  EXPECT_EQ(t.fails(9, "refused"),
            (remote_effects{takes(failed("1", "The remote MCP server did not answer: refused"))}));
}

// 2025-11-25, transports, "Sending Messages to the Server" 6
TEST(remote_stream, is_tried_anew_after_progress) {
  streaming t;
  t.ends(4);
  for (http_call_id call = 5; call < 25; ++call) {
    t.in_time();
    t.head(call, 200, events);
    t.body(call, "id: " + std::to_string(call) + "\ndata:\n\n");
    EXPECT_EQ(t.ends(call), remote_effects{});
    expect_pause(t, 1s);
  }
}

TEST(remote_stream, is_tried_anew_after_a_connection_that_stayed) {
  streaming t;
  t.ends(4);
  for (http_call_id call = 5; call < 25; ++call) {
    t.in_time();
    t.head(call, 200, events);
    t.after(30s);
    EXPECT_EQ(t.ends(call), remote_effects{});
    expect_pause(t, 1s);
  }
}

TEST(remote_stream, is_not_resumed_without_an_event_id_that_can_be_sent_back) {
  for (auto id : {std::string{""}, std::string(1025, 'a'), std::string{"a\x01"}}) {
    remote_driver t;
    t.opened().sends(request("1", "m"));
    t.head(4, 200, events);
    t.body(4, "id: " + id + "\ndata:\n\n");
    EXPECT_EQ(t.ends(4), (remote_effects{takes(failed("1", closed))}));
  }
}

TEST(remote_stream, is_resumed_when_it_falls_silent) {
  streaming t;
  EXPECT_EQ(t.after(6min), remote_effects{drop_call{4}});
  EXPECT_EQ(t.in_time(), (remote_effects{resumes(5, "a")}));
}

TEST(remote_stream, is_given_up_when_the_server_does_not_resume) {
  for (auto status : {400, 405, 410, 200}) {
    streaming t;
    t.ends(4);
    t.in_time();
    EXPECT_EQ(
        t.head(5, status, json),
        (remote_effects{drop_call{5}, takes(failed("1", closed + " (resumed: HTTP " + std::to_string(status) + ")"))}));
  }
}

TEST(remote_stream, is_tried_again_when_the_server_is_not_ready_to_resume) {
  for (auto status : {409, 429, 500, 503}) {
    streaming t;
    t.ends(4);
    t.in_time();
    EXPECT_EQ(t.head(5, status), remote_effects{drop_call{5}});
    EXPECT_EQ(t.in_time(), (remote_effects{resumes(6, "a")}));
  }
}

TEST(remote_stream, ends_the_session_when_the_server_does_not_know_it) {
  streaming t;
  t.ends(4);
  t.in_time();
  EXPECT_EQ(t.head(5, 404), (remote_effects{drop_call{5}, takes(failed("1", session_over)), drop_call{3}, forgotten}));
}

TEST(remote_stream, is_not_resumed_once_it_is_cancelled) {
  streaming t;
  t.ends(4);
  EXPECT_EQ(t.sends(cancelled("1")), (remote_effects{tells(5, cancelled("1"))}));
  t.head(5, 202);
  t.ends(5);
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(remote_stream, is_not_resumed_when_it_breaks_after_its_cancellation) {
  streaming t;
  t.sends(cancelled("1"));
  EXPECT_EQ(t.ends(4), remote_effects{});
  t.head(5, 202);
  t.ends(5);
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(remote_stream, is_left_open_but_not_resumed_again_once_it_is_cancelled) {
  streaming t;
  t.ends(4);
  t.in_time();
  t.head(5, 200, events);
  EXPECT_EQ(t.sends(cancelled("1")), (remote_effects{release_call{5, true}, tells(6, cancelled("1"))}));
  EXPECT_EQ(t.body(5, wire(note("n"), "c")), (remote_effects{takes(note("n"))}));
  t.head(6, 202);
  t.ends(6);
  EXPECT_EQ(t.ends(5), remote_effects{});
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(remote_stream, is_not_resumed_once_it_is_answered_elsewhere) {
  streaming t;
  t.head(3, 200, events);
  t.ends(4);
  EXPECT_EQ(t.body(3, wire(result("1"))), (remote_effects{takes(result("1"))}));
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

// Resumed with the request's own token, even if another one was used meanwhile.
TEST(remote_stream, is_resumed_for_whose_request_it_answers) {
  remote_driver t;
  t.opened();
  auto asked = gateway_message(request("1", "m"));
  asked.requester = std::make_shared<const principal>(principal{.issuer = "https://as", .subject = "ann"});
  const auto ann = asked.requester;
  t.it.client_sent(std::move(asked), t.now);
  t.head(4, 200, events);
  t.body(4, "id: a\ndata:\n\n");
  t.ends(4);
  auto again = resumes(5, "a");
  again.requester = ann;
  EXPECT_EQ(t.in_time(), (remote_effects{again}));
  t.head(5, 503);
  again.call = 6;
  EXPECT_EQ(t.in_time(), (remote_effects{again}));
}

TEST(remote_stream, of_initialize_is_resumed_too) {
  remote_driver t;
  t.sends(hello("0"));
  auto fields = events;
  fields.emplace_back("Mcp-Session-Id", "s1");
  t.head(1, 200, fields);
  t.body(1, "id: a\ndata:\n\n");
  t.ends(1);
  EXPECT_EQ(t.in_time(), (remote_effects{send_call{2,
                                                   "GET",
                                                   site,
                                                   get_fields({{"Mcp-Session-Id", "s1"}, {"Last-Event-ID", "a"}}),
                                                   {},
                                                   6min,
                                                   call_priority::resumed_request}}));
  t.head(2, 200, events);
  EXPECT_EQ(t.body(2, wire(welcome("0"))), (remote_effects{takes(welcome("0")), release_call{2, true}}));
  EXPECT_EQ(t.sends(initialized), (remote_effects{tells(3, initialized)}));
}

// -- listening --------------------------------------------------------------------------

// 2025-11-25, transports, "Listening for Messages from the Server" 1
TEST(remote_listens, and_passes_on_what_the_server_says) {
  remote_driver t;
  t.confirmed();
  EXPECT_EQ(t.head(3, 200, events), remote_effects{});
  EXPECT_EQ(t.body(3, wire(note("n")) + wire(request("1", "roots/list"))),
            (remote_effects{takes(note("n")), takes(request("1", "roots/list"))}));
}

// 2025-11-25, transports, "Listening for Messages from the Server" 3
TEST(remote_listens, unless_the_server_does_not_offer_it) {
  for (auto status : {400, 401, 403, 404, 405, 410, 501, 307}) {
    remote_driver t;
    t.confirmed();
    auto said = t.head(3, status);
    EXPECT_EQ(said.back(),
              (remote_effect{log_note{log_note::weight::debug, "server offers no stream of its own messages (HTTP " +
                                                                   std::to_string(status) + ")"}}));
    EXPECT_EQ(t.it.deadline(), time_point::max());
    EXPECT_EQ(t.sends(request("1", "m")), (remote_effects{asks(4, request("1", "m"))}));
  }
}

// The token may have been renewed by then. Log lines are limited.
TEST(remote_listens, again_when_a_token_was_refused_that_is_renewed) {
  auto options = at_site();
  options.renews_credentials = true;
  for (auto status : {401, 403}) {
    remote_driver t{options};
    t.opened();
    auto asked = 1000ms;
    for (http_call_id call = 3; call < 20; ++call) {
      remote_effects said;
      if (call <= 4)
        said.push_back(warns("server refused our credentials (HTTP " + std::to_string(status) + ")"));
      said.push_back(drop_call{call});
      EXPECT_EQ(t.head(call, status), said);
      expect_pause(t, asked);
      EXPECT_EQ(t.in_time(), (remote_effects{listens(call + 1)}));
      asked = std::min<std::chrono::milliseconds>(asked + asked / 2, 30s);
    }
    EXPECT_EQ(t.head(20, 200, events), remote_effects{});
    EXPECT_EQ(t.body(20, wire(note("n"))), (remote_effects{takes(note("n"))}));
  }
}

TEST(remote_listens, unless_what_it_hears_is_no_stream) {
  remote_driver t;
  t.confirmed();
  EXPECT_EQ(t.head(3, 200, json),
            (remote_effects{drop_call{3}, log_note{log_note::weight::debug,
                                                   "server offers no stream of its own messages (HTTP 200)"}}));
}

TEST(remote_listens, again_after_the_last_event) {
  remote_driver t;
  t.opened().body(3, wire(note("n"), "7"));
  EXPECT_EQ(t.ends(3), remote_effects{});
  expect_pause(t, 1s);
  EXPECT_EQ(t.in_time(), (remote_effects{listens(4, "7")}));
  t.head(4, 200, events);
  EXPECT_EQ(t.fails(4, "reset"), remote_effects{});
  EXPECT_EQ(t.in_time(), (remote_effects{listens(5, "7")}));
}

TEST(remote_listens, again_when_the_server_wants) {
  remote_driver t;
  t.opened().body(3, "retry: 60000\n\n");
  t.ends(3);
  expect_pause(t, 60s);
}

TEST(remote_listens, again_and_again_but_ever_more_slowly) {
  remote_driver t;
  t.opened().ends(3);
  auto asked = 1000ms;
  for (http_call_id call = 4; call < 104; ++call) {
    expect_pause(t, asked);
    EXPECT_EQ(t.in_time(), (remote_effects{listens(call)}));
    call % 2 ? t.fails(call, "refused") : t.head(call, 503);
    asked = std::min<std::chrono::milliseconds>(asked + asked / 2, 30s);
  }
}

TEST(remote_listens, again_without_an_event_that_the_server_does_not_know) {
  remote_driver t;
  t.opened().body(3, wire(note("n"), "7"));
  t.ends(3);
  t.in_time();
  EXPECT_EQ(t.head(4, 400), remote_effects{drop_call{4}});
  EXPECT_EQ(t.in_time(), (remote_effects{listens(5)}));
}

TEST(remote_listens, again_after_what_was_too_long) {
  auto options = at_site();
  options.message = 300;
  remote_driver t{options};
  t.opened().body(3, wire(note("n"), "7"));
  EXPECT_EQ(t.body(3, std::string(301, 'x')),
            (remote_effects{drop_call{3}, warns("server wrote a message that is too long")}));
  EXPECT_EQ(t.in_time(), (remote_effects{listens(4)}));
}

TEST(remote_listens, with_patience_only_when_told) {
  remote_driver t;
  t.opened();
  EXPECT_EQ(t.it.deadline(), time_point::max());
  auto options = at_site();
  options.listen_silence = 1min;
  remote_driver strict{options};
  strict.opened();
  strict.after(30s);
  strict.body(3, ": alive\n\n");
  EXPECT_EQ(strict.after(1min - 1ns), remote_effects{});
  EXPECT_EQ(strict.after(1ns), remote_effects{drop_call{3}});
  strict.in_time();
  EXPECT_EQ(strict.head(4, 200, events), remote_effects{});
}

TEST(remote_listens, until_the_session_is_gone) {
  remote_driver t;
  t.opened().ends(3);
  t.in_time();
  EXPECT_EQ(t.head(4, 404), (remote_effects{drop_call{4}, forgotten}));
}

} // namespace troupe::tests::remote_streams_test

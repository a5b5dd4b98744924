// Requests to a remote server over Streamable HTTP, and the ways in which each gets exactly one answer.

#include "tests/support/remote_driver.hpp"

namespace troupe::tests::remote_answers_test {

namespace {

const std::string no_response = "The remote MCP server's answer held no response to the request";
const std::string too_long =
    "The remote MCP server's answer is longer than 1000 bytes; gateway.limits.messageBytes allows more";

std::string repeated(std::size_t n) {
  return result("1", '"' + std::string(n - result("1", "\"\"").size(), 'x') + '"');
}

} // namespace

// -- answers ------------------------------------------------------------------------

// 2025-11-25, transports, "Sending Messages to the Server" 2
TEST(remote_call, is_a_POST_and_takes_either_kind_of_answer) {
  remote_driver t;
  t.opened();
  EXPECT_EQ(t.sends(request("1", "m")), (remote_effects{asks(4, request("1", "m"))}));
  EXPECT_EQ(t.answers(4, 200, json, result("1")), (remote_effects{takes(result("1"))}));
  t.sends(request("2", "m"));
  EXPECT_EQ(t.head(5, 200, {{"content-type", "Text/Event-Stream; charset=utf-8"}}), remote_effects{});
  EXPECT_EQ(t.body(5, wire(result("2"))), (remote_effects{takes(result("2")), release_call{5, true}}));
  EXPECT_EQ(t.ends(5), remote_effects{});
}

TEST(remote_call, may_be_answered_after_other_messages_of_the_server) {
  asking t;
  t.head(4, 200, events);
  EXPECT_EQ(t.body(4, wire(request("1", "sampling/createMessage")) + wire(note("n")) + wire(result("1"))),
            (remote_effects{takes(request("1", "sampling/createMessage")), takes(note("n")), takes(result("1")),
                            release_call{4, true}}));
}

TEST(remote_call, may_be_answered_in_a_batch) {
  asking t;
  t.sends(request("2", "m"));
  EXPECT_EQ(t.answers(4, 200, json, "[" + result("2") + "," + result("1") + "]"),
            (remote_effects{takes(result("2")), takes(result("1"))}));
  t.sends(request("3", "m"));
  t.head(6, 200, events);
  EXPECT_EQ(t.body(6, wire("[" + note("n") + "," + result("3") + "]")),
            (remote_effects{takes(note("n")), takes(result("3")), release_call{6, true}}));
}

TEST(remote_call, may_be_answered_where_another_was_asked) {
  asking t;
  t.sends(request("2", "m"));
  t.head(4, 200, events);
  EXPECT_EQ(t.body(4, wire(result("2"))), (remote_effects{takes(result("2"))}));
  EXPECT_EQ(t.answers(5, 200, json, result("2")), remote_effects{});
  EXPECT_EQ(t.body(4, wire(result("1"))), (remote_effects{takes(result("1")), release_call{4, true}}));
}

TEST(remote_call, is_answered_once) {
  asking t;
  t.head(4, 200, events);
  EXPECT_EQ(t.body(4, wire(result("1")) + wire(result("1")) + wire(result("77"))),
            (remote_effects{takes(result("1")), release_call{4, true}}));
}

TEST(remote_call, may_be_answered_under_its_number_as_a_string) {
  asking t;
  EXPECT_EQ(t.answers(4, 200, json, result("\"1\"")), (remote_effects{takes(result("1"))}));
}

// The stream of an answer should end with it, but some servers keep it open (2025-11-25, transports, "Sending Messages
// to the Server" 6).
TEST(remote_call, keeps_its_stream_open_once_it_is_answered_however_many_there_are) {
  remote_driver t;
  t.opened();
  constexpr http_call_id first = 4, last = 67;
  for (auto call = first; call <= last; ++call) {
    t.sends(request("2", "m"));
    t.head(call, 200, events);
    EXPECT_EQ(t.body(call, wire(result("2"))), (remote_effects{takes(result("2")), release_call{call, true}})) << call;
  }
  for (auto call = first; call <= last; ++call)
    EXPECT_EQ(t.body(call, wire(note("n"))), remote_effects{takes(note("n"))}) << call;
}

TEST(remote_call, closes_the_oldest_stream_that_is_answered_when_too_much_is_on_its_way) {
  remote_driver t;
  t.opened();
  constexpr http_call_id first = 4, most = 1999; // besides the listening stream
  for (auto call = first; call < first + most; ++call) {
    EXPECT_EQ(t.sends(request("2", "m")), remote_effects{asks(call, request("2", "m"))}) << call;
    t.head(call, 200, events);
    t.body(call, wire(result("2")));
  }
  EXPECT_EQ(t.sends(request("2", "m")), (remote_effects{drop_call{first}, asks(first + most, request("2", "m"))}));
}

TEST(remote_call, is_not_answered_by_garbage) {
  asking t;
  t.head(4, 200, events);
  auto said = t.body(4, wire("nonsense") + wire("{}") + wire("7") + wire("[]") + wire(error_text("", -1, "what")) +
                            "event: other\ndata: " + result("1") + "\n\n" + wire(result("1")));
  ASSERT_EQ(said.size(), 7u);
  for (std::size_t i = 0; i + 2 < said.size(); ++i)
    EXPECT_TRUE(std::holds_alternative<log_note>(said[i]));
  EXPECT_EQ(said[5], remote_effect{takes(result("1"))});
}

// 2025-11-25, transports, "Sending Messages to the Server" 6
TEST(remote_call, takes_no_message_from_an_event_without_data) {
  asking t;
  t.head(4, 200, events);
  EXPECT_EQ(t.body(4, "id: 7\ndata:\n\n: alive\n\nretry: 5\n\n"), remote_effects{});
}

TEST(remote_call, keeps_reading_an_answered_stream_for_a_while) {
  asking t;
  t.head(4, 200, events);
  t.body(4, wire(result("1")));
  EXPECT_EQ(t.it.deadline(), t.now + 5s);
  EXPECT_EQ(t.body(4, wire(note("n"))), (remote_effects{takes(note("n"))}));
  EXPECT_EQ(t.after(5s - 1ns), remote_effects{});
  EXPECT_EQ(t.after(1ns), remote_effects{drop_call{4}});
}

TEST(remote_call, fails_when_its_answer_holds_none) {
  for (auto text : {"", "{", "[]"}) {
    asking t;
    auto said = t.answers(4, 200, json, text);
    ASSERT_EQ(said.size(), 2u);
    EXPECT_TRUE(std::holds_alternative<log_note>(said[0]));
    EXPECT_EQ(said[1], remote_effect{takes(failed("1", no_response))});
  }
  asking other;
  EXPECT_EQ(other.answers(4, 200, json, result("2")), (remote_effects{takes(failed("1", no_response))}));
}

TEST(remote_call, fails_when_its_answer_is_neither_JSON_nor_events) {
  const std::string why = "The remote MCP server answered with neither JSON nor a stream of events";
  for (auto& fields : {http_fields{}, http_fields{{"Content-Type", "text/html"}}}) {
    asking t;
    EXPECT_EQ(t.head(4, 200, fields), (remote_effects{drop_call{4}, takes(failed("1", why))}));
  }
  asking accepted;
  EXPECT_EQ(accepted.head(4, 202), (remote_effects{drop_call{4}, takes(failed("1", why))}));
}

TEST(remote_call, takes_answers_of_a_bounded_size) {
  for (auto extra : {-1, 0, 1}) {
    auto options = at_site();
    options.message = 1000;
    auto text = repeated(static_cast<std::size_t>(1000 + extra));
    asking t{options};
    auto fits = extra <= 0;
    EXPECT_EQ(t.answers(4, 200, json, text),
              fits ? (remote_effects{takes(text)})
                   : (remote_effects{drop_call{4}, warns("server wrote a message that is too long"),
                                     takes(failed("1", too_long))}));
  }
}

TEST(remote_call, takes_events_of_a_bounded_size) {
  for (auto extra : {-1, 0, 1}) {
    auto options = at_site();
    options.message = 1000;
    auto text = repeated(static_cast<std::size_t>(1000 + extra) - std::string{"data: "}.size());
    asking t{options};
    t.head(4, 200, events);
    EXPECT_EQ(t.body(4, wire(text)),
              extra <= 0 ? (remote_effects{takes(text), release_call{4, true}})
                         : (remote_effects{drop_call{4}, warns("server wrote a message that is too long"),
                                           takes(failed("1", too_long))}));
  }
}

// -- refusals --------------------------------------------------------------------------

TEST(remote_call, fails_with_the_status_that_refuses_it) {
  for (auto status : {400, 405, 413, 429, 500, 502, 503}) {
    asking t;
    EXPECT_EQ(t.head(4, status, {{"Content-Type", "text/html"}}),
              (remote_effects{drop_call{4},
                              takes(failed("1", "The remote MCP server answered HTTP " + std::to_string(status)))}));
  }
}

TEST(remote_call, fails_with_the_servers_error_where_that_is_its_own) {
  asking t;
  EXPECT_EQ(t.answers(4, 500, json, failed("1", "mine")), (remote_effects{takes(failed("1", "mine"))}));
}

TEST(remote_call, fails_with_the_words_of_an_error_that_is_nobodys) {
  asking t;
  EXPECT_EQ(t.answers(4, 400, json, error_text("", -32600, "a\r\n\x01 bad one")),
            (remote_effects{takes(failed("1", "The remote MCP server answered HTTP 400: a bad one"))}));
  asking other;
  EXPECT_EQ(other.answers(4, 400, json, result("1")),
            (remote_effects{takes(failed("1", "The remote MCP server answered HTTP 400"))}));
}

TEST(remote_call, quotes_a_server_at_no_length_and_in_whole_characters) {
  for (std::size_t before : {197, 198, 199, 200}) {
    asking t;
    auto shown = std::string(before, 'a') + (before <= 197 ? "€" : "");
    EXPECT_EQ(t.answers(4, 400, json, error_text("", -1, std::string(before, 'a') + "€€")),
              (remote_effects{takes(failed("1", "The remote MCP server answered HTTP 400: " + shown))}));
  }
}

TEST(remote_call, quotes_no_bytes_that_are_no_text) {
  asking t;
  EXPECT_EQ(t.fails(4, "x\xff\xc3"), (remote_effects{takes(failed("1", "The remote MCP server did not answer: x??"))}));
}

TEST(remote_call, reads_no_refusal_at_length) {
  asking t;
  t.head(4, 500, json);
  EXPECT_EQ(t.body(4, std::string(64 * 1024, ' ')), remote_effects{});
  EXPECT_EQ(t.body(4, " "),
            (remote_effects{drop_call{4}, takes(failed("1", "The remote MCP server answered HTTP 500"))}));
  asking slow;
  slow.head(4, 500, json);
  EXPECT_EQ(slow.after(30s),
            (remote_effects{drop_call{4}, takes(failed("1", "The remote MCP server answered HTTP 500"))}));
}

TEST(remote_call, never_relays_a_refusal_of_credentials) {
  for (auto status : {401, 403}) {
    asking t;
    auto number = " (HTTP " + std::to_string(status) + ")";
    EXPECT_EQ(t.head(4, status, {{"Content-Type", "application/json"}, {"WWW-Authenticate", "Bearer"}}),
              (remote_effects{warns("server refused our credentials" + number), drop_call{4},
                              takes(failed("1", "The remote MCP server refused the gateway's credentials" + number))}));
    EXPECT_EQ(t.body(4, failed("1", "secret")), remote_effects{});
  }
}

TEST(remote_call, follows_no_redirect) {
  struct {
    std::string location, where;
  } some[]{{"/other", ""},
           {"https://EXAMPLE.com:443/x", ""},
           {"http://example.com/mcp", " to another origin"},
           {"https://example.com:444/mcp", " to another origin"},
           {"//evil.com/", " to another origin"},
           {"https://example.com@evil.com/", " to another origin"},
           {"::", " to another origin"}};
  for (auto& [location, where] : some) {
    asking t;
    EXPECT_EQ(
        t.head(4, 307, {{"Location", location}}),
        (remote_effects{
            log_note{
                log_note::weight::warning, "server redirects, which is not followed (HTTP 307)", {{"to", location}}},
            drop_call{4},
            takes(failed("1", "The remote MCP server redirects" + where + ", which is not followed (HTTP 307)"))}))
        << location;
  }
}

TEST(remote_call, fails_when_the_connection_does) {
  asking t;
  EXPECT_EQ(t.fails(4, "connection refused"),
            (remote_effects{takes(failed("1", "The remote MCP server did not answer: connection refused"))}));
  asking late;
  late.head(4, 200, json);
  late.body(4, "{");
  EXPECT_EQ(
      late.fails(4, "reset"),
      (remote_effects{takes(failed("1", "The connection to the remote MCP server broke before it answered: reset"))}));
  asking closed;
  closed.head(4, 200, events);
  closed.body(4, wire(note("n")));
  EXPECT_EQ(closed.ends(4),
            (remote_effects{takes(failed("1", "The remote MCP server closed the stream before it answered"))}));
}

TEST(remote_call, fails_when_the_server_falls_silent) {
  const std::string why = "The remote MCP server fell silent before it answered";
  remote_driver t;
  t.opened().sends(request("1", "m"));
  EXPECT_EQ(t.after(6min - 1ns), remote_effects{});
  t.head(4, 200, events);
  EXPECT_EQ(t.after(6min - 1ns), remote_effects{});
  t.body(4, ": alive\n\n");
  EXPECT_EQ(t.after(6min - 1ns), remote_effects{});
  EXPECT_EQ(t.after(1ns), (remote_effects{drop_call{4}, takes(failed("1", why))}));
}

} // namespace troupe::tests::remote_answers_test

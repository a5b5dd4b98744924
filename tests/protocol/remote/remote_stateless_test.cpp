// Requests to a remote 2026-07-28 server: what is sent, and the ways in which each gets exactly one answer.

#include "protocol/remote/remote_stateless.hpp"

#include "tests/support/remote_driver.hpp"

namespace troupe::tests::remote_stateless_test {

namespace {

/// A driver for the transport. Time passes only in `after`.
struct stateless_driver {
  explicit stateless_driver(remote_options how = at_site()) : options{std::move(how)} { dialogue.open_stateless(); }

  remote_effects sends(std::string text) {
    remote_effects out;
    dialogue.user_sent(gateway_message(std::move(text)), out);
    while (dialogue.has_next())
      it.post(dialogue.next(), now, out);
    return out;
  }
  template <class Fact>
  remote_effects seen(Fact fact) {
    remote_effects out;
    fact(out);
    return out;
  }
  template <class News>
  remote_effects told(http_call_id call, const News& news) {
    return seen([&](auto& out) { it.receive_event(call, news, now, out); });
  }
  remote_effects head(http_call_id call, int status, const http_fields& fields = {}) {
    return told(call, call_head{status, fields});
  }
  remote_effects body(http_call_id call, std::string_view bytes) { return told(call, call_body{std::string{bytes}}); }
  remote_effects ends(http_call_id call) { return told(call, call_ended{}); }
  remote_effects fails(http_call_id call, const std::string& why) { return told(call, call_failed{why}); }
  remote_effects after(std::chrono::nanoseconds time) {
    return seen([&](auto& out) { it.tick(now += time, out); });
  }
  remote_effects answers(http_call_id call, int status, const http_fields& fields, std::string_view text) {
    auto all = head(call, status, fields);
    for (auto& part : {body(call, text), ends(call)})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }

  time_point now{1h};
  const remote_options options;
  remote_caller caller{options.headers};
  remote_dialogue dialogue{options.held, true};
  remote_stateless it{options, caller, dialogue};
};

std::string asked_with(std::string id, std::string method, std::string params) {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":)" + params + "}";
}

send_call posts(http_call_id call, std::string text, std::string method, http_fields more = {}) {
  http_fields fields{{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", std::move(method)}};
  fields.insert(fields.end(), more.begin(), more.end());
  return {call, "POST", site, post_fields(fields), std::move(text), 6min, call_priority::request};
}

/// Request 1 is in flight as call 1.
struct stateless_asking : stateless_driver {
  explicit stateless_asking(remote_options how = at_site()) : stateless_driver{std::move(how)} {
    sends(request("1", "m"));
  }
};

const std::string listening = asked_with("1", "subscriptions/listen", R"({"notifications":{}})");

} // namespace

// -- sent requests ------------------------------------------------------------------

// 2026-07-28, transports, "Standard Headers"
TEST(remote_stateless, repeats_version_method_and_name_of_a_request) {
  stateless_driver t;
  EXPECT_EQ(t.sends(request("1", "m")), (remote_effects{posts(1, request("1", "m"), "m")}));
  auto call = asked_with("2", "tools/call", R"({"name":"weather"})");
  EXPECT_EQ(t.sends(call), (remote_effects{posts(2, call, "tools/call", {{"Mcp-Name", "weather"}})}));
  auto prompt = asked_with("3", "prompts/get", R"({"name":"\u00e4"})");
  EXPECT_EQ(t.sends(prompt), (remote_effects{posts(3, prompt, "prompts/get", {{"Mcp-Name", "=?base64?w6Q=?="}})}));
  auto read = asked_with("4", "resources/read", R"({"name":"no","uri":"file:///a"})");
  EXPECT_EQ(t.sends(read), (remote_effects{posts(4, read, "resources/read", {{"Mcp-Name", "file:///a"}})}));
}

// 2026-07-28, transports, "Custom Headers from Tool Parameters"
TEST(remote_stateless, repeats_the_arguments_that_a_listed_tool_names) {
  stateless_driver t;
  t.sends(request("1", "tools/list"));
  t.answers(1, 200, json,
            result("1", R"({"tools":[{"name":"t","inputSchema":{"type":"object","properties":{)"
                        R"("a":{"type":"string","x-mcp-header":"A"},"n":{"type":"integer","x-mcp-header":"N"},)"
                        R"("b":{"type":"boolean","x-mcp-header":"B"},"o":{"type":"object","properties":{)"
                        R"("c":{"type":"string","x-mcp-header":"C"}}}}}}]})"));
  auto all = asked_with("2", "tools/call", R"({"name":"t","arguments":{"a":" x","n":-7,"b":true,"o":{"c":"y"}}})");
  EXPECT_EQ(t.sends(all), (remote_effects{posts(2, all, "tools/call",
                                                {{"Mcp-Name", "t"},
                                                 {"Mcp-Param-A", "=?base64?IHg=?="},
                                                 {"Mcp-Param-N", "-7"},
                                                 {"Mcp-Param-B", "true"},
                                                 {"Mcp-Param-C", "y"}})}));
  auto none = asked_with("3", "tools/call", R"({"name":"t","arguments":{"a":null,"n":[1],"o":"c"}})");
  EXPECT_EQ(t.sends(none), (remote_effects{posts(3, none, "tools/call", {{"Mcp-Name", "t"}})}));
  auto other = asked_with("4", "tools/call", R"({"name":"u","arguments":{"a":"x"}})");
  EXPECT_EQ(t.sends(other), (remote_effects{posts(4, other, "tools/call", {{"Mcp-Name", "u"}})}));
}

TEST(remote_stateless, sends_no_configured_field_in_place_of_those) {
  auto options = at_site();
  options.headers = {{"mcp-method", "x"}, {"MCP-NAME", "x"}, {"mcp-param-a", "x"}, {"X-Mine", "x"}};
  stateless_driver t{options};
  EXPECT_EQ(t.sends(request("1", "m")), (remote_effects{posts(1, request("1", "m"), "m", {{"X-Mine", "x"}})}));
}

TEST(remote_stateless, sends_neither_notifications_nor_responses) {
  stateless_driver t;
  EXPECT_EQ(t.sends(initialized), remote_effects{});
  EXPECT_EQ(t.sends(result("7")), remote_effects{});
  EXPECT_EQ(t.seen([&](auto& out) { t.it.end_session(out); }), remote_effects{});
}

// 2026-07-28, cancellation
TEST(remote_stateless, cancels_a_request_by_closing_its_answer) {
  stateless_asking t;
  t.sends(request("2", "m"));
  EXPECT_EQ(t.sends(cancellation_of("1", "").text), (remote_effects{drop_call{1}}));
  EXPECT_EQ(t.sends(cancellation_of("1", "").text), remote_effects{});
  EXPECT_EQ(t.answers(1, 200, json, result("1")), remote_effects{});
  EXPECT_EQ(t.answers(2, 200, json, result("2")), (remote_effects{takes(result("2"))}));
}

// -- answers ------------------------------------------------------------------------

TEST(remote_stateless, says_on_which_requests_stream_a_notification_came) {
  stateless_driver t;
  for (const auto* id : {"1", "\"b\""})
    t.sends(request(id, "tools/list"));
  t.head(1, 200, events);
  t.head(2, 200, events);
  EXPECT_EQ(t.body(2, wire(note("n"))), (remote_effects{takes(note("n"), "\"b\"")}));
  EXPECT_EQ(t.body(1, wire(note("n"))), (remote_effects{takes(note("n"), "1")}));
}

TEST(remote_stateless, takes_a_stream_up_to_the_response) {
  stateless_asking t;
  EXPECT_EQ(t.head(1, 200, events), remote_effects{});
  EXPECT_EQ(t.body(1, wire(note("n")) + wire(result("1")) + wire(note("late")) + wire(result("1"))),
            (remote_effects{takes(note("n"), "1"), takes(result("1")), release_call{1, true}}));
  EXPECT_EQ(t.after(5s - 1ns), remote_effects{});
  EXPECT_EQ(t.after(1ns), (remote_effects{drop_call{1}}));
}

TEST(remote_stateless, fails_a_request_by_its_malformed_answer) {
  stateless_asking t;
  t.head(1, 200, events);
  auto said = t.body(1, wire(R"({"jsonrpc":"2.0","id":2,"error":"boom"})") +
                            wire(R"({"jsonrpc":"2.0","id":1,"error":"boom"})"));
  ASSERT_EQ(said.size(), 4U);
  EXPECT_EQ(said[2], remote_effect{takes(failed("1", "The MCP server's answer is malformed: error must be an "
                                                     "object"))});
}

TEST(remote_stateless, takes_no_requests_batches_or_answers_of_other_requests) {
  stateless_asking t;
  t.sends(request("2", "m"));
  t.head(1, 200, events);
  auto said = t.body(1, wire(request("5", "roots/list")) + wire("[" + result("1") + "]") + wire(result("2")));
  ASSERT_EQ(said.size(), 3U);
  EXPECT_EQ(said[0], remote_effect{warns("server wrote a request, which 2026-07-28 does not have")});
  EXPECT_TRUE(std::holds_alternative<log_note>(said[1]));
  EXPECT_EQ(said[2], remote_effect{warns("server wrote the answer to another request")});
  EXPECT_EQ(t.ends(1), (remote_effects{takes(failed("1", "The remote MCP server closed the stream before it "
                                                         "answered"))}));
}

TEST(remote_stateless, fails_what_breaks_off) {
  stateless_asking broken;
  broken.head(1, 200, events);
  EXPECT_EQ(broken.fails(1, "reset"),
            (remote_effects{takes(failed("1", "The connection to the remote MCP server broke before it answered: "
                                              "reset"))}));
  stateless_asking unheard;
  EXPECT_EQ(unheard.fails(1, "reset"), (remote_effects{takes(failed("1", "The remote MCP server did not answer: "
                                                                         "reset"))}));
  stateless_asking silent;
  EXPECT_EQ(silent.after(6min - 1ns), remote_effects{});
  EXPECT_EQ(silent.after(1ns), (remote_effects{drop_call{1}, takes(failed("1", "The remote MCP server fell silent "
                                                                               "before it answered"))}));
}

TEST(remote_stateless, relays_the_errors_of_400_and_404_under_our_id) {
  const std::string error = R"("error":{"code":-32601,"message":"no m","data":{"x": 1}})";
  for (auto status : {400, 404}) {
    for (auto id : {"1", "\"1\""}) {
      stateless_asking t;
      EXPECT_EQ(t.answers(1, status, json, R"({"jsonrpc":"2.0","id":)" + std::string{id} + "," + error + "}"),
                (remote_effects{takes(R"({"jsonrpc":"2.0","id":1,)" + error + "}")}));
    }
    for (auto none : {R"("id":null,)", ""}) {
      stateless_asking t;
      EXPECT_EQ(t.answers(1, status, json, R"({"jsonrpc":"2.0",)" + std::string{none} + error + "}"),
                (remote_effects{takes(R"({"jsonrpc":"2.0",)" + error + R"(,"id":1})")}));
    }
  }
}

TEST(remote_stateless, fails_with_an_error_of_ours_where_the_server_has_none) {
  const std::string status = "The remote MCP server answered HTTP 404";
  stateless_asking foreign;
  EXPECT_EQ(foreign.answers(1, 404, json, error_text("8", -1, "what")),
            (remote_effects{takes(failed("1", status + ": what"))}));
  stateless_asking empty;
  EXPECT_EQ(empty.answers(1, 404, json, ""), (remote_effects{takes(failed("1", status))}));
  stateless_asking plain;
  EXPECT_EQ(plain.head(1, 404), (remote_effects{drop_call{1}, takes(failed("1", status))}));
  stateless_asking broken;
  EXPECT_EQ(broken.head(1, 500, json),
            (remote_effects{drop_call{1}, takes(failed("1", "The remote MCP server answered HTTP 500"))}));
}

TEST(remote_stateless, never_relays_that_its_credentials_are_refused) {
  for (auto status : {401, 403}) {
    stateless_asking t;
    auto number = "(HTTP " + std::to_string(status) + ")";
    EXPECT_EQ(
        t.head(1, status, json),
        (remote_effects{warns("server refused our credentials " + number), drop_call{1},
                        takes(failed("1", "The remote MCP server refused the gateway's credentials " + number))}));
  }
}

TEST(remote_stateless, fails_when_its_answer_is_no_JSON_or_too_long) {
  stateless_asking html;
  EXPECT_EQ(html.head(1, 200, {{"Content-Type", "text/html"}}),
            (remote_effects{drop_call{1}, takes(failed("1", "The remote MCP server answered with neither JSON nor a "
                                                            "stream of events"))}));
  for (auto limit : {result("1").size(), result("1").size() - 1}) {
    auto options = at_site();
    options.message = limit;
    stateless_asking t{options};
    auto said = t.answers(1, 200, json, result("1"));
    EXPECT_EQ(said.front() == remote_effect{takes(result("1"))}, limit == result("1").size());
    EXPECT_EQ(said.size(), limit == result("1").size() ? 1U : 3U);
  }
}

// -- subscriptions ------------------------------------------------------------------

TEST(remote_stateless, lets_a_subscription_be_silent_and_take_no_turn) {
  stateless_driver t;
  auto asked = posts(1, listening, "subscriptions/listen");
  asked.patience = 0s;
  EXPECT_EQ(t.sends(listening), (remote_effects{asked}));
  EXPECT_EQ(t.it.deadline(), t.now + 6min);
  EXPECT_EQ(t.head(1, 200, events), (remote_effects{release_call{1}}));
  EXPECT_EQ(t.it.deadline(), time_point::max());
  EXPECT_EQ(t.body(1, wire(note("n"))), (remote_effects{takes(note("n"), "1")}));
  EXPECT_EQ(t.it.deadline(), time_point::max());
  EXPECT_EQ(t.sends(cancellation_of("1", "").text), (remote_effects{drop_call{1}}));
}

} // namespace troupe::tests::remote_stateless_test

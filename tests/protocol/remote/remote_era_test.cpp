// Changes from one era to the other with a remote server.

#include "protocol/message/message.hpp"
#include "protocol/message/splice.hpp"
#include "tests/support/remote_driver.hpp"

namespace troupe::tests::remote_era_test {

namespace {

const std::string asks_what = R"({"jsonrpc":"2.0","id":"d","method":"server/discover","params":{}})";

send_call discovers(http_call_id call) {
  return {call,
          "POST",
          site,
          post_fields({{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "server/discover"}}),
          asks_what,
          6min,
          call_priority::request};
}
send_call begins(http_call_id call) {
  return {call, "POST", site, post_fields(), hello("0"), 6min, call_priority::request};
}

std::string refusal(std::string id, int code, std::string data = {}) {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"error":{"code":)" + std::to_string(code) + R"(,"message":"no")" +
         data + "}}";
}
std::string with_id(const std::string& refusal, std::string_view id) { return with_member(refusal, "id", id); }

const std::string versions = R"(,"data":{"supported":["2026-07-28"]})";

remote_options spoken_in(server_era era) {
  auto result = at_site();
  result.era = era;
  return result;
}

} // namespace

TEST(remote_era, is_the_modern_one_when_discover_comes_first) {
  remote_driver t;
  EXPECT_EQ(t.sends(asks_what), (remote_effects{discovers(1)}));
  EXPECT_EQ(t.answers(1, 200, json, result("\"d\"")), (remote_effects{takes(result("\"d\""))}));
  EXPECT_EQ(std::get<send_call>(t.sends(request("1", "m")).front()).fields,
            post_fields({{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "m"}}));
  EXPECT_EQ(t.it.leave(), remote_effects{drop_call{2}});
}

TEST(remote_era, is_that_of_sessions_after_discover_was_refused) {
  for (auto status : {400, 404, 405, 406, 415, 422}) {
    remote_driver t;
    t.sends(asks_what);
    auto why = "The remote MCP server answered HTTP " + std::to_string(status);
    EXPECT_EQ(t.head(1, status), (remote_effects{drop_call{1}, takes(failed("\"d\"", why))})) << status;
    EXPECT_EQ(t.it.start_again(t.now), remote_effects{});
    EXPECT_EQ(t.sends(hello("0")), (remote_effects{begins(2)}));
    EXPECT_EQ(t.answers(2, 200, json, welcome("0")), (remote_effects{takes(welcome("0"))}));
  }
}

TEST(remote_era, is_the_server_to_say_in_an_error_of_its_own) {
  for (auto status : {200, 400, 404, 405}) {
    remote_driver t;
    t.sends(asks_what);
    EXPECT_EQ(t.answers(1, status, json, refusal("null", -32601)),
              (remote_effects{takes(with_id(refusal("null", -32601), "\"d\""))}));
  }
}

// Session-based servers refuse unknown methods in different ways.
TEST(remote_era, is_that_of_sessions_where_discover_is_refused_for_whatever_reason) {
  for (auto status : {301, 401, 403, 407, 408, 425, 429, 500, 502, 503}) {
    remote_driver t;
    t.sends(asks_what);
    auto refused = t.head(1, status).back();
    ASSERT_TRUE(std::holds_alternative<deliver_message>(refused)) << status;
    EXPECT_FALSE(has_result(std::get<deliver_message>(refused).what)) << status;
    EXPECT_EQ(std::get<deliver_message>(refused).what.outcome.is, call_outcome::kind::lost) << status;
    t.it.start_again(t.now);
    EXPECT_EQ(t.sends(hello("0")), (remote_effects{begins(2)})) << status;
  }
}

TEST(remote_era, is_refused_by_a_status_that_is_about_the_request) {
  for (auto status : {400, 404, 405, 406, 415, 422}) {
    remote_driver t;
    t.sends(asks_what);
    auto refused = t.answers(1, status, {}, "no").back();
    ASSERT_TRUE(std::holds_alternative<deliver_message>(refused)) << status;
    EXPECT_EQ(std::get<deliver_message>(refused).what.outcome.is, call_outcome::kind::error) << status;
  }
}

TEST(remote_era, is_neither_told_nor_refused_by_what_is_no_answer) {
  const http_fields html{{"Content-Type", "text/html"}};
  for (auto& fields : {html, events, json}) {
    remote_driver t;
    t.sends(asks_what);
    auto told = t.answers(1, 200, fields, "");
    auto answer = std::ranges::find_if(told, [](auto& one) { return std::holds_alternative<deliver_message>(one); });
    ASSERT_NE(answer, told.end());
    EXPECT_EQ(std::get<deliver_message>(*answer).what.outcome.is, call_outcome::kind::lost);
  }
}

TEST(remote_era, is_not_known_where_discover_fails_after_initialize_was_refused) {
  for (auto status : {301, 401, 403, 407, 408, 425, 429, 500, 502, 503}) {
    remote_driver t;
    t.sends(hello("0"));
    t.answers(1, 400, json, refusal("0", -32600));
    t.sends(asks_what);
    EXPECT_EQ(t.head(2, status).back().index(), remote_effect{lose_server{}}.index()) << status;
  }
}

TEST(remote_era, is_not_known_where_discover_is_not_answered) {
  const std::string broken = "the connection to the remote MCP server broke before it answered: reset";
  remote_driver breaks;
  breaks.sends(asks_what);
  breaks.head(1, 200, json);
  EXPECT_EQ(breaks.fails(1, "reset"), (remote_effects{lose_server{broken}}));
  remote_driver silent;
  silent.sends(asks_what);
  EXPECT_EQ(silent.in_time(),
            (remote_effects{drop_call{1}, lose_server{"the remote MCP server fell silent before it answered"}}));
  remote_driver without_token;
  without_token.sends(asks_what);
  EXPECT_EQ(without_token.withholds(1, "x"), (remote_effects{lose_server{"No token for the remote MCP server: x"}}));
}

TEST(remote_era, is_not_known_where_we_had_no_descriptor_left) {
  remote_driver t;
  t.sends(asks_what);
  EXPECT_EQ(t.fails(1, "full", true),
            (remote_effects{lose_server{"the remote MCP server did not answer: full", true}}));
}

// Only the first attempt decides.
TEST(remote_era, stays_when_a_later_discover_fails) {
  remote_driver t;
  t.sends(asks_what);
  t.answers(1, 200, json, result("\"d\""));
  t.sends(asks_what);
  EXPECT_EQ(t.head(2, 500),
            (remote_effects{drop_call{2}, takes(failed("\"d\"", "The remote MCP server answered HTTP 500"))}));
}

TEST(remote_era, is_the_modern_one_after_initialize_was_refused_as_modern_servers_do) {
  const std::vector<std::pair<int, std::string>> refusals{
      {400, refusal("0", -32022, versions)}, {400, refusal("null", -32022, versions)},
      {400, refusal("null", -32020)},        {400, refusal("null", -32021)},
      {404, refusal("null", -32601)},        {400, refusal("0", -32600)},
      {200, refusal("0", -32602)},           {200, refusal("0", -32601)},
  };
  for (auto& [status, text] : refusals) {
    remote_driver t;
    t.sends(hello("0"));
    auto has_id = text.find("null") == text.npos;
    EXPECT_EQ(t.answers(1, status, json, text), (remote_effects{takes(has_id ? text : with_id(text, "0"))})) << text;
    EXPECT_EQ(t.sends(asks_what), (remote_effects{discovers(2)})) << text;
  }
}

TEST(remote_era, is_that_of_HTTP_SSE_where_a_refusal_may_be_of_any_server) {
  for (auto& [status, text] : {std::pair{400, refusal("null", -32600)}, std::pair{400, refusal("null", -32000)},
                               std::pair{400, refusal("null", -32601)}, std::pair{400, refusal("null", -32022)},
                               std::pair{404, std::string{"{}"}}}) {
    remote_driver t;
    t.sends(hello("0"));
    EXPECT_EQ(t.answers(1, status, json, text), (remote_effects{send_call{2, "GET", site, get_fields(), {}, 0s}}))
        << text;
  }
}

// 2025-11-25, transports, "Backwards Compatibility"
TEST(remote_era, is_that_of_HTTP_SSE_after_initialize_and_discover_were_unknown) {
  for (auto discovers_first : {false, true})
    for (auto status : {404, 405}) {
      remote_driver t;
      t.sends(hello("0"));
      t.answers(1, 404, json, refusal("0", -32601));
      if (!discovers_first) {
        t.sends(asks_what);
        t.answers(2, status, {}, "nothing");
      }
      EXPECT_EQ(t.it.start_again(t.now), remote_effects{});
      const http_call_id stream = discovers_first ? 2 : 3;
      EXPECT_EQ(t.sends(hello("0")), (remote_effects{send_call{stream, "GET", site, get_fields(), {}, 0s}}));
      t.head(stream, 200, events);
      auto goes = t.body(stream, "event: endpoint\ndata: /messages\n\n");
      ASSERT_EQ(goes.size(), 1u);
      EXPECT_EQ(std::get<send_call>(goes.front()).url, "https://example.com/messages");
      EXPECT_EQ(std::get<send_call>(goes.front()).body, hello("0"));
      t.head(stream + 1, 202);
      EXPECT_EQ(t.body(stream, wire(welcome("0"))), (remote_effects{takes(welcome("0"))}));
    }
}

TEST(remote_era, is_unknown_where_HTTP_SSE_is_refused_as_well) {
  remote_driver t;
  t.sends(hello("0"));
  t.answers(1, 404, json, refusal("0", -32601));
  t.it.start_again(t.now);
  t.sends(hello("0"));
  EXPECT_EQ(t.head(2, 405).back(),
            remote_effect{lose_server{"the remote MCP server speaks neither Streamable HTTP (The remote MCP server "
                                      "answered HTTP 404: no) nor HTTP+SSE (The remote MCP server answered HTTP "
                                      "405)"}});
}

TEST(remote_era, is_asked_for_over_the_same_transport_where_that_is_configured_or_understood) {
  for (auto kind : {remote_kind::streamable_http, remote_kind::detect}) {
    remote_driver t{at_site(kind)};
    t.sends(hello("0"));
    t.answers(1, kind == remote_kind::detect ? 200 : 404, json, refusal("0", -32601));
    t.it.start_again(t.now);
    EXPECT_EQ(t.sends(hello("0")), (remote_effects{begins(2)}));
  }
}

TEST(remote_era, is_not_asked_for_where_it_is_configured) {
  remote_driver t{spoken_in(server_era::session)};
  t.sends(hello("0"));
  EXPECT_EQ(t.answers(1, 400, json, refusal("0", -32022, versions)),
            (remote_effects{takes(refusal("0", -32022, versions)),
                            lose_server{"the remote MCP server refused to initialize"}}));
}

TEST(remote_era, leaves_no_request_unanswered_that_came_before_it_was_known) {
  remote_driver t;
  t.sends(hello("0"));
  t.sends(request("1", "m"));
  t.sends(note("n"));
  EXPECT_EQ(
      t.answers(1, 400, json, refusal("0", -32601)),
      (remote_effects{takes(refusal("0", -32601)), takes(failed("1", "The remote MCP server refused to initialize"))}));
  EXPECT_EQ(t.sends(asks_what), (remote_effects{discovers(2)}));
}

TEST(remote_era, ends_with_a_server_that_is_given_up) {
  remote_driver t;
  t.sends(asks_what);
  EXPECT_EQ(t.it.give_up("it is of no use", t.now),
            (remote_effects{takes(failed("\"d\"", "it is of no use")), drop_call{1}, lose_server{"it is of no use"}}));
}

} // namespace troupe::tests::remote_era_test

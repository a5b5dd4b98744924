// Parsing and refusal of requests to the endpoint, and the heads of answers.

#include "tests/protocol/http/parsed_requests.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::tests::http_test {

namespace {

const std::string hello = client_hello("1", "2025-11-25");
constexpr auto note = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";

/// The fields with an additional line, even if the name occurs already.
fields and_also(fields result, http_field one) {
  result.push_back(one);
  return result;
}

parsed_request parsed_post(fields sent_fields, std::string body = call) {
  return parsed("POST", "/mcp", std::move(sent_fields), std::move(body));
}

} // namespace

// -- good requests -------------------------------------------------------------

TEST(http, takes_a_POST_a_GET_and_a_DELETE_of_a_session) {
  EXPECT_EQ(seen(parsed_post(post_fields)), good_post);
  EXPECT_EQ(seen(parsed("GET", "/mcp", get_fields)), "stream of " + id);
  EXPECT_EQ(seen(parsed("DELETE", "/mcp", delete_fields)), "end of " + id);
}

TEST(http, takes_an_initialize_without_a_session) {
  EXPECT_EQ(seen(parsed_post(with(post_fields, {{"Mcp-Session-Id", none}, {"MCP-Protocol-Version", none}}), hello)),
            "post 1");
}

TEST(http, hands_over_the_messages_of_a_batch) {
  EXPECT_EQ(seen(parsed_post(post_fields, std::string{"["} + call + "," + note + "]")), "post 2 of " + id);
}

// RFC 9110, 5.1 and 5.5
TEST(http, reads_field_names_in_any_case_and_trims_values) {
  EXPECT_EQ(seen(parsed_post({{"HOST", " localhost\t"},
                              {"content-type", "\tApplication/Json "},
                              {"ACCEPT", "application/json,text/event-stream"},
                              {"mcp-session-id", " " + id + " "},
                              {"mcp-protocol-version", " 2025-06-18 "}})),
            good_post);
}

TEST(http, takes_a_trailing_slash_and_a_query) {
  for (auto target : {"/mcp", "/mcp/", "/mcp?", "/mcp?a=b", "/mcp/?a=/b/"})
    EXPECT_EQ(seen(parsed("DELETE", target, delete_fields)), "end of " + id) << target;
  for (auto target : {"/", "", "/mc", "/mcpx", "/MCP", "/mcp//", "/mcp/x", "//mcp", "?/mcp", "mcp", "*", "/%6dcp"})
    EXPECT_EQ(seen(parsed("DELETE", target, delete_fields)), "404 -32600") << target;
}

// RFC 9112, 3.2.2
TEST(http, takes_the_target_that_is_sent_to_proxies_too) {
  for (auto target : {"http://localhost:8080/mcp", "HTTP://LOCALHOST/mcp/?a=b", "https://[::1]:1/mcp"})
    EXPECT_EQ(seen(parsed("DELETE", target, delete_fields)), "end of " + id) << target;
  for (auto target : {"http://localhost", "http://localhost?/mcp", "http://localhost/", "http:/mcp",
                      "ftp://localhost/mcp", "://localhost/mcp"})
    EXPECT_EQ(seen(parsed("DELETE", target, delete_fields)), "404 -32600") << target;
}

// RFC 9112, 3.2.2
TEST(http, checks_the_host_of_the_target_like_that_of_the_field) {
  for (auto target : {"http://evil.example.com/mcp", "http:///mcp", "http://user@localhost/mcp",
                      "http://localhost@evil/mcp", "http://localhost.evil.com:80/mcp"}) {
    EXPECT_EQ(seen(parsed("DELETE", target, delete_fields)), "403 -32600") << target;
    EXPECT_EQ(seen(parsed("DELETE", target, delete_fields, {}, {.loopback_only = false})), "end of " + id) << target;
  }
  EXPECT_EQ(seen(parsed("DELETE", "http://localhost/mcp", with(delete_fields, {{"Host", "evil.example.com"}}))),
            "403 -32600");
  EXPECT_EQ(seen(parsed("GET", "http://evil.example.com/healthz", {})), "health");
}

// -- one rule, one row ---------------------------------------------------------

TEST(http, refuses_two_lines_of_a_field_that_decides) {
  for (http_field one : fields{{"host", "localhost"}, {"MCP-SESSION-ID", id}, {"mcp-protocol-version", "2025-11-25"}}) {
    auto twice = and_also(
        and_also(with(post_fields, {{"Host", none}, {"Mcp-Session-Id", none}, {"MCP-Protocol-Version", none}}), one),
        one);
    if (one.name != "host")
      twice = and_also(twice, {"Host", "localhost"});
    EXPECT_EQ(seen(parsed_post(twice)), "400 -32600") << one.name;
  }
}

// 2025-11-25, transports, "Sending Messages to the Server" 2
TEST(http, wants_a_POST_to_accept_both_kinds_of_answer) {
  for (auto accept :
       {"application/json, text/event-stream", "text/event-stream,application/json", "*/*", "application/*, text/*",
        "application/json;q=0.1, text/event-stream;q=0.9", "text/html, */*;q=0.1"})
    EXPECT_EQ(seen(parsed_post(with(post_fields, {{"Accept", accept}}))), good_post) << accept;
  for (auto accept : {"", "application/json", "text/event-stream", "text/html",
                      "application/json, text/event-stream;q=0", "application/jsonp, text/event-stream"})
    EXPECT_EQ(seen(parsed_post(with(post_fields, {{"Accept", accept}}))), "406 -32600") << accept;
  EXPECT_EQ(seen(parsed_post(with(post_fields, {{"Accept", none}}))), "406 -32600");
}

// RFC 9110, 5.3
TEST(http, reads_every_line_of_accept) {
  auto sent_fields = and_also(with(post_fields, {{"Accept", "application/json"}}), {"accept", "text/event-stream"});
  EXPECT_EQ(seen(parsed_post(sent_fields)), good_post);
}

// 2025-11-25, transports, "Listening for Messages from the Server" 2
TEST(http, wants_a_GET_to_accept_an_event_stream) {
  for (auto accept : {"text/event-stream", "*/*", "text/*", "application/json, text/event-stream"})
    EXPECT_EQ(seen(parsed("GET", "/mcp", with(get_fields, {{"Accept", accept}}))), "stream of " + id) << accept;
  for (auto accept : {"", "application/json", "text/html", "text/event-stream;q=0"})
    EXPECT_EQ(seen(parsed("GET", "/mcp", with(get_fields, {{"Accept", accept}}))), "406 -32600") << accept;
  EXPECT_EQ(seen(parsed("GET", "/mcp", with(get_fields, {{"Accept", none}}))), "406 -32600");
}

TEST(http, wants_a_POST_of_JSON) {
  for (auto type : {"application/json", "application/json; charset=utf-8", "APPLICATION/JSON"})
    EXPECT_EQ(seen(parsed_post(with(post_fields, {{"Content-Type", type}}))), good_post) << type;
  for (auto type :
       {"", "text/plain", "text/plain; application/json", "application/jsonp", "application/x-www-form-urlencoded"})
    EXPECT_EQ(seen(parsed_post(with(post_fields, {{"Content-Type", type}}))), "415 -32600") << type;
  EXPECT_EQ(seen(parsed_post(with(post_fields, {{"Content-Type", none}}))), "415 -32600");
}

// JSON-RPC 2.0, "Error object"
TEST(http, refuses_a_bad_body) {
  struct row {
    std::string body, refusal;
  };
  for (auto& [body, refusal] :
       std::vector<row>{{"", "400 -32700"},
                        {"{", "400 -32700"},
                        {"\"\xff\"", "400 -32700"},
                        {std::string(129, '[') + std::string(129, ']'), "400 -32700"},
                        {"1", "400 -32600"},
                        {"[]", "400 -32600"},
                        {"{}", "400 -32600"},
                        {R"({"jsonrpc":"2.0","id":null,"method":"m"})", "400 -32600"},
                        {R"({"jsonrpc":"2.0","id":1.5,"method":"m"})", "400 -32600"},
                        {R"({"jsonrpc":"2.0","id":1,"id":1,"method":"m"})", "400 -32600"},
                        {R"({"jsonrpc":"2.0","id":5,"method":1})", "400 -32600 id 5"},
                        {R"({"jsonrpc":"2.0","id":"a","method":"m","params":[]})", "400 -32600 id \"a\""},
                        {R"({"id":5,"method":"m"})", "400 -32600 id 5"}})
    EXPECT_EQ(seen(parsed_post(post_fields, body)), refusal) << body;
}

// 2025-11-25, schema, "InitializeRequest"
TEST(http, refuses_an_initialize_that_no_server_could_read) {
  auto bad = R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})";
  auto refused = parsed_post(with(post_fields, {{"Mcp-Session-Id", none}}), bad);
  EXPECT_EQ(
      std::get<rejection>(refused),
      (rejection{400, -32602, "Invalid params: initialize: params.capabilities is missing; it is an object", "1"}));
  EXPECT_EQ(seen(parsed_post(post_fields, bad)), "400 -32602 id 1");
  EXPECT_EQ(seen(parsed("POST", "/messages?sessionId=" + id, post_fields, bad)), "400 -32602 id 1");
  fields elsewhere{{"MCP-Protocol-Version", "v999.0.0"}};
  EXPECT_EQ(seen(parsed_post(with(post_fields, elsewhere), bad)), "400 -32000 id 1");
}

// RFC 9110, 15.5.6
TEST(http, names_the_methods_that_the_endpoint_has) {
  for (auto method : {"HEAD", "PUT", "PATCH", "TRACE", "CONNECT", "OPTIONS", "post", "get", ""})
    EXPECT_EQ(std::get<rejection>(parsed(method, "/mcp", post_fields, call)),
              (rejection{405, -32600, "Method Not Allowed", {}, {{"Allow", "GET, POST, DELETE"}}}))
        << method;
}

// 2025-11-25, transports, "Session Management" 4: a client that still has an old id begins a new session without it.
TEST(http, begins_a_session_by_initialize_whatever_id_it_bears) {
  const auto begins = seen(parsed_post(with(post_fields, {{"Mcp-Session-Id", none}}), hello));
  for (auto stale : {id, std::string{"undefined"}, std::string{"null"}, std::string{"a b"}, std::string{"a,b"}})
    EXPECT_EQ(seen(parsed_post(with(post_fields, {{"Mcp-Session-Id", stale}}), hello)), begins) << stale;
  EXPECT_EQ(seen(parsed_post(and_also(post_fields, {"mcp-session-id", "x"}), hello)), begins);
}

// 2025-11-25, transports, "Session Management" 1
TEST(http, wants_a_session_id_of_visible_ASCII) {
  for (auto bad : {"a b", "a\tb", "\xc3\xa4", "a\x01", "a\x7f"})
    for (auto method : {"POST", "GET", "DELETE"})
      EXPECT_EQ(seen(parsed(method, "/mcp", with(post_fields, {{"Mcp-Session-Id", bad}}), call)), "400 -32600") << bad;
  auto longest = std::string(128, '~'), longer = std::string(129, '~');
  EXPECT_EQ(seen(parsed_post(with(post_fields, {{"Mcp-Session-Id", longest}}))), "post 1 of " + longest);
  EXPECT_EQ(seen(parsed_post(with(post_fields, {{"Mcp-Session-Id", longer}}))), "400 -32600");
}

// 2025-11-25, transports, "Session Management" 2
TEST(http, wants_a_session_id_but_for_initialize) {
  for (auto id_field :
       {http_field{"Mcp-Session-Id", none}, http_field{"Mcp-Session-Id", ""}, http_field{"Mcp-Session-Id", " "}}) {
    EXPECT_EQ(seen(parsed_post(with(post_fields, {id_field}))), "400 -32600 id 7");
    EXPECT_EQ(seen(parsed_post(with(post_fields, {id_field}), note)), "400 -32600");
    EXPECT_EQ(seen(parsed_post(with(post_fields, {id_field}), R"({"jsonrpc":"2.0","id":1,"result":{}})")),
              "400 -32600");
    EXPECT_EQ(seen(parsed_post(with(post_fields, {id_field}), std::string{"["} + hello + "]")), "400 -32600");
    EXPECT_EQ(seen(parsed_post(with(post_fields, {id_field}), R"({"jsonrpc":"2.0","method":"initialize"})")),
              "400 -32600");
    EXPECT_EQ(seen(parsed("GET", "/mcp", with(get_fields, {id_field}))), "400 -32600");
    EXPECT_EQ(seen(parsed("DELETE", "/mcp", with(delete_fields, {id_field}))), "400 -32600");
  }
}

// 2025-11-25, transports, "Session Management" 3
TEST(http, never_answers_a_session_that_is_unknown_with_400_or_401) {
  EXPECT_EQ(session_not_found().status, 404);
  EXPECT_EQ(session_not_found().code, -32600);
}

TEST(http, refuses_a_list_of_session_ids) {
  EXPECT_EQ(seen(parsed_post(with(post_fields, {{"Mcp-Session-Id", "a,b"}}))), "400 -32600");
  EXPECT_EQ(seen(parsed("DELETE", "/mcp", and_also(delete_fields, {"mcp-session-id", "other"}))), "400 -32600");
}

// 2025-11-25, transports, "Protocol Version Header"
TEST(http, takes_every_version_with_sessions_and_none) {
  for (http_field version : fields{{"MCP-Protocol-Version", none},
                                   {"MCP-Protocol-Version", ""},
                                   {"MCP-Protocol-Version", "2024-11-05"},
                                   {"MCP-Protocol-Version", "2025-03-26"},
                                   {"MCP-Protocol-Version", "2025-06-18"},
                                   {"MCP-Protocol-Version", "2025-11-25"}}) {
    EXPECT_EQ(seen(parsed_post(with(post_fields, {version}))), good_post) << version.value;
    EXPECT_EQ(seen(parsed("GET", "/mcp", with(get_fields, {version}))), "stream of " + id) << version.value;
    EXPECT_EQ(seen(parsed("DELETE", "/mcp", with(delete_fields, {version}))), "end of " + id) << version.value;
  }
}

// 2025-11-25, transports, "Protocol Version Header"
TEST(http, refuses_every_other_version_and_says_so_in_the_words_that_clients_look_for) {
  for (auto version : {"2026-07-27", "v999.0.0", "1.0", "2025-11-25,2025-06-18", "\xff"}) {
    fields other{{"MCP-Protocol-Version", version}};
    EXPECT_EQ(seen(parsed_post(with(post_fields, other))), "400 -32000 id 7") << version;
    EXPECT_EQ(seen(parsed_post(with(post_fields, other), hello)), "400 -32000 id 1") << version;
    EXPECT_EQ(seen(parsed_post(with(post_fields, other), note)), "400 -32000") << version;
    EXPECT_EQ(seen(parsed("GET", "/mcp", with(get_fields, other))), "400 -32000") << version;
    auto refused = parsed("DELETE", "/mcp", with(delete_fields, other));
    EXPECT_EQ(seen(refused), "400 -32000") << version;
    EXPECT_EQ(std::get<rejection>(refused).text.find("Unsupported protocol version"), 0u) << version;
  }
}

// -- several errors at once ----------------------------------------------------

TEST(http, refuses_what_is_wrong_in_this_order) {
  fields sent_fields{{"Host", "evil.example.com"},         {"Origin", "null"},
                     {"Content-Type", "text/plain"},       {"Accept", "text/html"},
                     {"MCP-Protocol-Version", "v999.0.0"}, {"Mcp-Session-Id", "a b"}};
  std::string body = "{";
  std::string_view target = "/elsewhere", method = "PUT";
  auto refusal = [&] { return std::get<rejection>(parsed(method, target, sent_fields, body)).text; };
  auto mend = [&](http_field field) { sent_fields = with(sent_fields, {field}); };
  EXPECT_NE(refusal().find("Origin"), std::string::npos) << refusal();
  mend({"Origin", none});
  EXPECT_NE(refusal().find("Host"), std::string::npos) << refusal();
  mend({"Host", "localhost"});
  EXPECT_NE(refusal().find("Not Found"), std::string::npos) << refusal();
  target = "/mcp";
  EXPECT_NE(refusal().find("Method Not Allowed"), std::string::npos) << refusal();
  method = "POST";
  EXPECT_NE(refusal().find("Content-Type"), std::string::npos) << refusal();
  mend({"Content-Type", "application/json"});
  EXPECT_NE(refusal().find("Accept must list"), std::string::npos) << refusal();
  mend({"Accept", "*/*"});
  EXPECT_NE(refusal().find("Mcp-Session-Id is malformed"), std::string::npos) << refusal();
  mend({"Mcp-Session-Id", none});
  EXPECT_NE(refusal().find("Parse error"), std::string::npos) << refusal();
  body = call;
  EXPECT_NE(refusal().find("Unsupported protocol version"), std::string::npos) << refusal();
  mend({"MCP-Protocol-Version", "2025-11-25"});
  EXPECT_NE(refusal().find("Mcp-Session-Id header is required"), std::string::npos) << refusal();
  mend({"Mcp-Session-Id", id});
  EXPECT_EQ(seen(parsed(method, target, sent_fields, body)), good_post);
}

// -- probes --------------------------------------------------------------------

TEST(http, answers_probes_whatever_their_host) {
  EXPECT_EQ(seen(parsed("GET", "/healthz", {})), "health");
  EXPECT_EQ(seen(parsed("GET", "/healthz/?x", {{"Host", "10.0.0.1"}})), "health");
  EXPECT_EQ(seen(parsed("GET", "/readyz", {{"Host", "10.0.0.1"}})), "readiness");
  for (auto target : {"/healthz", "/readyz"})
    EXPECT_EQ(std::get<rejection>(parsed("POST", target, {})),
              (rejection{405, -32600, "Method Not Allowed", {}, {{"Allow", "GET, HEAD"}}}));
}

// RFC 9110, 9.1
TEST(http, answers_probes_to_HEAD_too) {
  EXPECT_EQ(seen(parsed("HEAD", "/healthz", {})), "health");
  EXPECT_EQ(seen(parsed("HEAD", "/readyz", {})), "readiness");
}

// -- answers -------------------------------------------------------------------

TEST(http, answers_a_refusal_with_a_JSON_RPC_error) {
  auto answer = rejection_response({405, -32600, "No \"way\"", "\"a\"", {{"Allow", "GET"}}});
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.fields, (answer_fields{{"Allow", "GET"}}));
  EXPECT_EQ(answer.type, "application/json");
  EXPECT_EQ(answer.body, R"({"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"No \"way\""}})");
}

// RFC 3986, 5.3
TEST(http, redirects_to_the_same_target_behind_any_prefix) {
  auto place_of = [](std::string_view target) { return located(another_process_serves(), target).headers; };
  EXPECT_EQ(place_of("/sse"), (answer_fields{{"Location", "./sse"}}));
  EXPECT_EQ(place_of("/servers/a/sse?at=/x:y"), (answer_fields{{"Location", "./sse?at=/x:y"}}));
  EXPECT_EQ(place_of("/sse/?x"), (answer_fields{{"Location", "./?x"}}));
  EXPECT_EQ(located(session_not_found(), "/sse"), session_not_found());
}

// 2025-11-25, transports, "Session Management" 1
TEST(http, carries_the_session_id_on_the_answer_to_initialize_only) {
  EXPECT_EQ(json_response("{}", id).fields, (answer_fields{{"Mcp-Session-Id", id}}));
  auto answer = json_response("{}", "");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.fields, answer_fields{});
  EXPECT_EQ(answer.type, "application/json");
  EXPECT_EQ(answer.body, "{}");
}

// 2025-11-25, transports, "Sending Messages to the Server" 4
TEST(http, answers_what_was_taken_with_202_and_nothing) {
  EXPECT_EQ(accepted_response().status, 202);
  EXPECT_EQ(accepted_response().fields, answer_fields{});
  EXPECT_EQ(accepted_response().body, "");
}

// 2025-11-25, transports, "Session Management" 5
TEST(http, answers_a_DELETE_with_200) {
  EXPECT_EQ(ended_response().status, 200);
  EXPECT_EQ(ended_response().body, "");
}

TEST(http, answers_probes_with_200_or_503) {
  EXPECT_EQ(health_response(true).status, 200);
  EXPECT_EQ(health_response(false).status, 503);
}

TEST(http, begins_a_stream_that_no_proxy_holds_back) {
  EXPECT_EQ(stream_head().status, 200);
  EXPECT_EQ(stream_head().constant_fields, "Cache-Control: no-cache, no-transform\r\nX-Accel-Buffering: no");
  EXPECT_EQ(stream_head().type, "text/event-stream");
}

TEST(http_request, tells_who_sends_it) {
  http_request request;
  request.peer = "10.0.0.1";
  EXPECT_EQ(sender_of(request), "10.0.0.1 ");
  const std::string program(65, 'x');
  request.fields = {{"User-Agent", program}};
  EXPECT_EQ(sender_of(request), "10.0.0.1 " + program.substr(0, 64));
}

} // namespace troupe::tests::http_test

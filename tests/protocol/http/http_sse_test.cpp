// The endpoints of HTTP+SSE (2024-11-05), resumption, and the gateway's state.

#include "protocol/http/known_paths.hpp"
#include "tests/protocol/http/parsed_requests.hpp"
#include "tests/support/client_hello.hpp"
#include "tests/support/protocol_effects.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace troupe::tests::http_sse_test {

using namespace protocol;
using troupe::tests::parsed_request;

namespace {

using fields = std::vector<http_field>;

const std::string id = "0123456789abcdef0123456789abcdef";
constexpr auto call = R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})";
const std::string hello = troupe::tests::client_hello("1", "2024-11-05");

const http_field host{"Host", "localhost:8080"};
const http_field json{"Content-Type", "application/json"};
const http_field events{"Accept", "text/event-stream"};

http_request from_here(std::string_view method, std::string_view target, fields sent_fields, std::string body = {}) {
  return {method, target, std::move(sent_fields), std::move(body), true};
}

parsed_request parsed(http_request request, const access_rules& at = {}) { return troupe::tests::parsed(request, at); }

/// A short description of the request; for a refusal its status, code and id.
std::string seen(const parsed_request& one) {
  if (auto why = std::get_if<rejection>(&one))
    return std::to_string(why->status) + ' ' + std::to_string(why->code) + (why->id.empty() ? "" : " id " + why->id);
  if (auto post = std::get_if<sse_post_request>(&one))
    return std::to_string(post->body.messages.size()) + " to " + post->session;
  if (auto get = std::get_if<stream_request>(&one))
    return "after " + get->last;
  if (std::holds_alternative<sse_request>(one))
    return "sse";
  if (std::holds_alternative<state_request>(one))
    return "state";
  return std::holds_alternative<preflight_request>(one) ? "preflight" : "something else";
}

std::string post(std::string target, fields sent_fields = {host, json}, std::string body = call) {
  return seen(parsed(from_here("POST", target, std::move(sent_fields), std::move(body))));
}

std::string get_sse(fields sent_fields) { return seen(parsed(from_here("GET", "/sse", std::move(sent_fields)))); }

} // namespace

// -- GET /sse ----------------------------------------------------------------------------

// 2024-11-05, transports, "HTTP with SSE"
TEST(http_sse, has_an_endpoint_for_streams) {
  for (auto target : {"/sse", "/sse/", "/sse?x=y"})
    EXPECT_EQ(seen(parsed(from_here("GET", target, {host, events}))), "sse") << target;
  for (auto target : {"/sse/x", "/SSE", "/ssee"})
    EXPECT_EQ(seen(parsed(from_here("GET", target, {host, events}))), "404 -32600") << target;
}

// As in the official SDKs, the SSE connection is the session.
TEST(http_sse, knows_no_session_id_and_no_last_event_there) {
  EXPECT_EQ(get_sse({host, events, {"Mcp-Session-Id", "a b"}, {"Last-Event-ID", "x"}}), "sse");
  EXPECT_EQ(get_sse({host, events, {"MCP-Protocol-Version", "2025-11-25"}}), "sse");
}

TEST(http_sse, wants_a_client_that_accepts_events) {
  EXPECT_EQ(get_sse({host, {"Accept", "*/*"}}), "sse");
  EXPECT_EQ(get_sse({host}), "406 -32600");
  EXPECT_EQ(get_sse({host, {"Accept", "application/json"}}), "406 -32600");
}

// 2024-11-05, transports, "HTTP with SSE"
TEST(http_sse, names_the_method_that_each_endpoint_has) {
  for (auto method : {"POST", "DELETE", "PUT", "HEAD", "OPTIONS"})
    EXPECT_EQ(std::get<rejection>(parsed(from_here(method, "/sse", {host, events, json}, call))),
              (rejection{405, -32600, "Method Not Allowed", {}, {{"Allow", "GET"}}}))
        << method;
  for (auto method : {"GET", "DELETE", "PUT", "HEAD", "OPTIONS"})
    EXPECT_EQ(std::get<rejection>(parsed(from_here(method, "/messages", {host, events, json}, call))),
              (rejection{405, -32600, "Method Not Allowed", {}, {{"Allow", "POST"}}}))
        << method;
}

// 2024-11-05, transports, "Security Warning" 1
TEST(http_sse, refuses_foreign_origins_and_hosts_at_both_endpoints) {
  for (auto& bad : fields{{"Origin", "http://evil.example.com"}, {"Origin", "null"}}) {
    EXPECT_EQ(get_sse({host, events, bad}), "403 -32600");
    EXPECT_EQ(post("/messages?sessionId=" + id, {host, json, bad}), "403 -32600");
  }
  EXPECT_EQ(get_sse({{"Host", "evil.example.com"}, events}), "403 -32600");
  EXPECT_EQ(post("/messages?sessionId=" + id, {{"Host", "evil.example.com"}, json}), "403 -32600");
  EXPECT_EQ(get_sse({host, events, {"Origin", "http://localhost:5173"}}), "sse");
}

// Fetch, "CORS protocol"
TEST(http_sse, answers_the_preflight_of_a_browser_at_both_endpoints) {
  for (auto target : {"/sse", "/messages?sessionId=x"})
    EXPECT_EQ(seen(parsed(from_here("OPTIONS", target, {host, {"Origin", "http://localhost:5173"}}))), "preflight");
}

// -- POST /messages ----------------------------------------------------------------------

// The official SDKs use different spellings.
TEST(http_sse, reads_the_session_from_the_target_in_both_spellings) {
  for (auto target : {"/messages?sessionId=" + id, "/messages/?session_id=" + id, "/messages?session_id=" + id,
                      "/messages?a=b&sessionId=" + id, "/messages?sessionId=" + id + "&a=b",
                      "/messages?a&&b=&session_id=" + id + "&"})
    EXPECT_EQ(post(target), "1 to " + id) << target;
}

// 2024-11-05, transports, "HTTP with SSE"
TEST(http_sse, tells_an_endpoint_that_it_reads) {
  EXPECT_EQ(messages_path("", id), "/messages?sessionId=" + id);
  EXPECT_EQ(post(messages_path("", id)), "1 to " + id);
}

TEST(http_sse, wants_a_session_id_that_may_be_one) {
  for (auto target : {"/messages", "/messages?", "/messages?sessionId", "/messages?sessionId=", "/messages?sessionid=a",
                      "/messages?xsessionId=a", "/messages?&", "/messages?a=sessionId=b", "/messages?sessionId=&a=b"})
    EXPECT_EQ(post(target), "400 -32600") << target;
  for (auto bad : {"a b", "a,b", "\xc3\xa4", "a\x7f"})
    EXPECT_EQ(post(std::string{"/messages?sessionId="} + bad), "400 -32600") << bad;
  EXPECT_EQ(post("/messages?sessionId=" + std::string(128, 'a')), "1 to " + std::string(128, 'a'));
  EXPECT_EQ(post("/messages?sessionId=" + std::string(129, 'a')), "400 -32600");
  EXPECT_EQ(post("/messages", {host, json, {"Mcp-Session-Id", id}}), "400 -32600");
}

TEST(http_sse, refuses_what_is_no_JSON_RPC_in_JSON) {
  auto target = "/messages?sessionId=" + id;
  EXPECT_EQ(post(target, {host}), "400 -32600");
  EXPECT_EQ(post(target, {host, {"Content-Type", "text/plain"}}), "400 -32600");
  EXPECT_EQ(post(target, {host, {"Content-Type", "application/json; charset=utf-8"}}), "1 to " + id);
  EXPECT_EQ(post(target, {host, json}, "{"), "400 -32700");
  EXPECT_EQ(post(target, {host, json}, "{}"), "400 -32600");
  EXPECT_EQ(post(target, {host, json}, R"({"jsonrpc":"2.0","id":5,"method":1})"), "400 -32600 id 5");
}

TEST(http_sse, does_not_mind_what_a_POST_accepts) {
  for (auto accept : {"application/json", "text/html", "text/event-stream;q=0"})
    EXPECT_EQ(post("/messages?sessionId=" + id, {host, json, {"Accept", accept}}), "1 to " + id) << accept;
}

// The field was added after this transport (2025-11-25, transports, "Protocol Version Header").
TEST(http_sse, ignores_the_version_unless_it_is_garbage) {
  auto target = "/messages?sessionId=" + id;
  for (auto version : {"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"})
    EXPECT_EQ(post(target, {host, json, {"MCP-Protocol-Version", version}}), "1 to " + id) << version;
  for (auto version : {"1.0", "2026-07-28", "\xff"})
    EXPECT_EQ(post(target, {host, json, {"MCP-Protocol-Version", version}}), "400 -32000 id 7") << version;
}

TEST(http_sse, hands_over_initialize_and_batches_like_any_message) {
  EXPECT_EQ(post(messages_path("", id), {host, json}, hello), "1 to " + id);
  EXPECT_EQ(post(messages_path("", id), {host, json}, std::string{"["} + call + "," + call + "]"), "2 to " + id);
}

// -- Last-Event-ID -------------------------------------------------------------------------

// 2025-11-25, transports, "Resumability and Redelivery" 2
TEST(http, hands_over_the_last_event_of_a_GET) {
  fields sent_fields{host, events, {"Mcp-Session-Id", id}};
  EXPECT_EQ(seen(parsed(from_here("GET", "/mcp", sent_fields))), "after ");
  sent_fields.push_back({"last-event-id", " t-1-2 "});
  EXPECT_EQ(seen(parsed(from_here("GET", "/mcp", sent_fields))), "after t-1-2");
}

// -- the gateway's state -------------------------------------------------------------------

TEST(http, shows_its_state_only_when_told_to_and_only_to_this_machine) {
  for (auto shows : {false, true})
    for (auto local : {false, true}) {
      http_request request{"GET", "/debug/state", {host}, {}, local};
      EXPECT_EQ(seen(parsed(request, {.shows_state = shows})), shows && local ? "state" : "404 -32600");
    }
  EXPECT_EQ(std::get<rejection>(parsed(from_here("POST", "/debug/state", {host}), {.shows_state = true})),
            (rejection{405, -32600, "Method Not Allowed", {}, {{"Allow", "GET, HEAD"}}}));
  EXPECT_EQ(seen(parsed(from_here("HEAD", "/debug/state", {host}), {.shows_state = true})), "state");
}

// A local proxy has a local address.
TEST(http, does_not_show_its_state_through_a_proxy) {
  const access_rules shows{.loopback_only = false, .host = "10.0.0.1", .shows_state = true};
  auto shown = [&](fields sent_fields, std::string_view target = "/debug/state") {
    return seen(parsed(from_here("GET", target, std::move(sent_fields)), shows));
  };
  for (auto name : {"Forwarded", "X-Forwarded-For", "x-forwarded-host", "X-Real-IP", "Via", "VIA"})
    EXPECT_EQ(shown({host, {name, ""}}), "403 -32600") << name;
  for (auto name : {"mcp.example.com", "10.0.0.1", "localhost.evil.com", ""})
    EXPECT_EQ(shown({{"Host", name}}), "403 -32600") << name;
  EXPECT_EQ(shown({host}, "http://10.0.0.1/debug/state"), "403 -32600");
  EXPECT_EQ(shown({}), "403 -32600");
  for (auto name : {"localhost", "127.0.0.1:8080", "[::1]:8080"})
    EXPECT_EQ(shown({{"Host", name}, {"X-Forwarde", "a"}, {"User-Agent", "curl"}}), "state") << name;
  EXPECT_EQ(shown({host}, "http://localhost:8080/debug/state"), "state");
}

TEST(http, does_not_show_its_state_to_a_foreign_page) {
  const access_rules shows{.shows_state = true};
  fields foreign{host, {"Origin", "http://evil.example.com"}};
  EXPECT_EQ(seen(parsed(from_here("GET", "/debug/state", foreign), shows)), "403 -32600");
  EXPECT_EQ(seen(parsed(from_here("GET", "/debug/state", {{"Host", "evil.example.com"}}), shows)), "403 -32600");
}

} // namespace troupe::tests::http_sse_test

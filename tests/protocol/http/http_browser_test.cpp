// Requests of web pages: allowed origins and hosts, and CORS answers.

#include "tests/protocol/http/parsed_requests.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::tests::http_browser_test {

namespace {

answer_fields preflight(fields sent_fields) {
  auto answer =
      preflight_response({.method = "OPTIONS", .target = "/mcp", .fields = std::move(sent_fields), .body = {}});
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.body, "");
  return answer.fields;
}

answer_fields preflight_allowing(std::string headers) {
  return {{"Access-Control-Allow-Methods", "GET, POST, DELETE"},
          {"Access-Control-Allow-Headers", std::move(headers)},
          {"Access-Control-Max-Age", "600"}};
}

const std::string usual =
    "Content-Type, Accept, Authorization, Mcp-Session-Id, MCP-Protocol-Version, Last-Event-ID, Mcp-Method, Mcp-Name";

} // namespace

// -- origins and hosts ---------------------------------------------------------

// 2025-11-25, transports, "Security Warning" 1
TEST(http, refuses_foreign_origins_and_hosts_on_every_method) {
  struct row {
    http_field field;
    bool passes;
  };
  for (auto& [field, passes] : std::vector<row>{{{"Origin", "http://evil.example.com"}, false},
                                                {{"Origin", "null"}, false},
                                                {{"Origin", "http://localhost.evil.com"}, false},
                                                {{"Origin", "http://localhost:1@evil.com"}, false},
                                                {{"Origin", "http://localhost:6274"}, true},
                                                {{"Origin", "http://[::1]:8080"}, true},
                                                {{"Host", "evil.example.com"}, false},
                                                {{"Host", none}, false},
                                                {{"Host", ""}, false},
                                                {{"Host", "127.0.0.1:8080"}, true},
                                                {{"Host", "[::1]"}, true}}) {
    auto expect = [&, &field = field, passes = passes](std::string_view method, const fields& sent_fields,
                                                       std::string good) {
      EXPECT_EQ(seen(parsed(method, "/mcp", with(sent_fields, {field}), call)), passes ? good : "403 -32600")
          << method << ' ' << field.name << ": " << field.value;
    };
    expect("POST", post_fields, good_post);
    expect("GET", get_fields, "stream of " + id);
    expect("DELETE", delete_fields, "end of " + id);
  }
}

// 2025-11-25, transports, "Security Warning" 1
TEST(http, refuses_a_foreign_origin_before_anything_else) {
  for (auto method : {"POST", "GET", "DELETE", "OPTIONS", "HEAD", "PUT"})
    for (auto target : {"/mcp", "/elsewhere"})
      EXPECT_EQ(seen(parsed(method, target, {{"Host", "localhost"}, {"Origin", "http://evil.example.com"}}, "{")),
                "403 -32600")
          << method << target;
}

// 2025-11-25, transports, "Security Warning" 1
TEST(http, admits_the_origins_that_it_is_told_to) {
  access_rules at{.allow_origins = {"https://app.example.com"}};
  EXPECT_EQ(seen(parsed("GET", "/mcp", with(get_fields, {{"Origin", "https://app.example.com"}}), {}, at)),
            "stream of " + id);
  EXPECT_EQ(seen(parsed("GET", "/mcp", with(get_fields, {{"Origin", "https://b.example.com"}}), {}, at)), "403 -32600");
}

// 2025-11-25, transports, "Security Warning" 1
TEST(http, takes_any_host_when_it_is_not_bound_to_loopback) {
  access_rules at{.loopback_only = false};
  EXPECT_EQ(seen(parsed("GET", "/mcp", with(get_fields, {{"Host", "mcp.example.com"}}), {}, at)), "stream of " + id);
  EXPECT_EQ(seen(parsed("GET", "/mcp", with(get_fields, {{"Host", none}}), {}, at)), "stream of " + id);
}

TEST(http, takes_the_host_that_it_listens_on) {
  access_rules at{.host = "127.0.0.5"};
  EXPECT_EQ(seen(parsed("GET", "/mcp", with(get_fields, {{"Host", "127.0.0.5:80"}}), {}, at)), "stream of " + id);
}

// An attacker's empty or second line must not hide the first.
TEST(http, refuses_an_origin_that_is_empty_or_comes_twice) {
  EXPECT_EQ(seen(parsed("GET", "/mcp", with(get_fields, {{"Origin", ""}}))), "403 -32600");
  EXPECT_EQ(seen(parsed("GET", "/mcp", with(get_fields, {{"Origin", " "}}))), "403 -32600");
  for (auto first : {"", "http://localhost", "http://evil.example.com"})
    for (auto second : {"", "http://localhost", "http://evil.example.com"}) {
      auto sent_fields = with(get_fields, {{"Origin", first}});
      sent_fields.push_back({"origin", second});
      EXPECT_EQ(seen(parsed("GET", "/mcp", sent_fields)), "403 -32600") << first << " and " << second;
    }
}

// Fetch Metadata, "The Sec-Fetch-Site HTTP Request Header": an image or a link has no Origin.
TEST(http, refuses_what_a_page_of_another_site_asks_for_without_an_origin) {
  for (auto site : {"cross-site", "same-site", "Cross-Site", " cross-site "})
    for (auto target : {"/sse", "/mcp", "/servers/a/sse", "/elsewhere", "/debug/state"})
      EXPECT_EQ(seen(parsed("GET", target, with(get_fields, {{"Sec-Fetch-Site", site}}), {}, {.allow_origins = {"*"}})),
                "403 -32600")
          << site << ' ' << target;
  auto twice = with(get_fields, {{"Sec-Fetch-Site", "none"}});
  twice.push_back({"sec-fetch-site", "cross-site"});
  EXPECT_EQ(seen(parsed("GET", "/mcp", twice)), "403 -32600");
  for (auto site : {"none", "same-origin", "", "of-a-kind-to-come"})
    EXPECT_EQ(seen(parsed("GET", "/mcp", with(get_fields, {{"Sec-Fetch-Site", site}}))), "stream of " + id) << site;
  EXPECT_EQ(seen(parsed("GET", "/healthz", {{"Sec-Fetch-Site", "cross-site"}})), "health");
}

TEST(http, takes_what_an_allowed_page_of_another_site_asks_for) {
  for (auto site : {"cross-site", "same-site"}) {
    fields sent_fields{{"Origin", "http://localhost:5173"}, {"Sec-Fetch-Site", site}};
    EXPECT_EQ(seen(parsed("GET", "/mcp", with(get_fields, sent_fields))), "stream of " + id);
    EXPECT_EQ(seen(parsed("GET", "/mcp", with(get_fields, {sent_fields[1], {"Origin", "https://evil.example.com"}}))),
              "403 -32600");
  }
}

// -- browsers ------------------------------------------------------------------

// Fetch, "CORS protocol"
TEST(http, answers_the_preflight_of_a_browser) {
  fields asks{{"Host", "localhost"}, {"Origin", "http://localhost:5173"}, {"Access-Control-Request-Method", "POST"}};
  EXPECT_EQ(seen(parsed("OPTIONS", "/mcp", asks)), "preflight");
  EXPECT_EQ(seen(parsed("OPTIONS", "/mcp", with(asks, {{"Origin", "http://evil.example.com"}}))), "403 -32600");
  EXPECT_EQ(seen(parsed("OPTIONS", "/mcp", with(asks, {{"Origin", none}}))), "405 -32600");
  EXPECT_EQ(seen(parsed("OPTIONS", "/elsewhere", asks)), "404 -32600");
}

// Fetch, "CORS protocol"
TEST(http, allows_the_fields_that_a_browser_asks_for) {
  EXPECT_EQ(preflight({}), preflight_allowing(usual));
  EXPECT_EQ(preflight({{"access-control-request-headers", "mcp-session-id,x-mine"}}),
            preflight_allowing("mcp-session-id,x-mine"));
}

TEST(http, cannot_be_made_to_write_a_field_of_the_asker) {
  for (auto bad : {"a\r\nSet-Cookie: x", "a\nb", "a\x7f", "\xc3\xa4"})
    EXPECT_EQ(preflight({{"Access-Control-Request-Headers", bad}}), preflight_allowing(usual)) << bad;
}

// Fetch, "CORS protocol"
TEST(http, lets_an_allowed_page_read_the_answer) {
  auto fields_for = [](fields sent_fields) {
    return cross_origin_fields({.method = "POST", .target = "/mcp", .fields = std::move(sent_fields), .body = {}}, {});
  };
  EXPECT_EQ(fields_for({{"origin", "http://localhost:5173"}}),
            (answer_fields{{"Access-Control-Allow-Origin", "http://localhost:5173"},
                           {"Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate"},
                           {"Vary", "Origin"}}));
  EXPECT_EQ(fields_for({}), answer_fields{});
  EXPECT_EQ(fields_for({{"Origin", "http://evil.example.com"}}), answer_fields{});
}

} // namespace troupe::tests::http_browser_test

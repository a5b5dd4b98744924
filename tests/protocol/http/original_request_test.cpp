#include "protocol/http/known_fields.hpp"
#include "protocol/http/original_request.hpp"
#include "protocol/text/words.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace troupe::tests::original_request_test {

using namespace protocol;

namespace {

using fields = std::vector<http_field>;

/// The original request behind a proxy at `peer`, as `CLIENT SCHEME HOST`.
std::string seen(const fields& more, std::string_view peer = "10.0.0.1") {
  http_request request{.method = {}, .target = {}, .fields = more, .body = {}, .peer = peer};
  request.fields.push_back({"Host", "inside"});
  auto [client, host, prefix, is_secure] = original_of(request, ip_networks{{"10.0.0.0/8"}});
  std::string shown = "?";
  for (auto text : {"192.0.2.1", "192.0.2.2", "10.0.0.1", "10.0.0.2", "2001:db8::1"})
    if (client && client == read_ip_address(text))
      shown = text;
  return shown + (is_secure ? " https " : " http ") + std::string{host};
}

std::string prefix_seen(const fields& more, std::string_view peer = "10.0.0.1") {
  http_request request{.method = {}, .target = {}, .fields = more, .body = {}, .peer = peer};
  return std::string{original_of(request, ip_networks{{"10.0.0.0/8"}}).prefix};
}

std::string seen_forwarded(std::string_view text) { return seen({{"Forwarded", text}}); }

} // namespace

TEST(original_request, is_what_came_unless_a_trusted_proxy_sent_it) {
  fields all{{"Forwarded", "for=192.0.2.2;proto=https;host=outside"}, {"X-Forwarded-For", "192.0.2.2"}};
  EXPECT_EQ(seen(all, "192.0.2.1"), "192.0.2.1 http inside");
  EXPECT_EQ(seen(all, ""), "? http inside");
  EXPECT_EQ(seen({}), "10.0.0.1 http inside");
}

TEST(original_request, is_secure_when_it_came_in_tls) {
  http_request request{.method = {}, .target = {}, .fields = {}, .body = {}, .peer = "192.0.2.1", .is_secure = true};
  EXPECT_TRUE(original_of(request, {}).is_secure);
}

// The last value comes from the nearest proxy, as with the host.
TEST(original_request, has_the_prefix_that_a_trusted_proxy_names) {
  EXPECT_EQ(prefix_seen({{"X-Forwarded-Prefix", "/troupe"}}), "/troupe");
  EXPECT_EQ(prefix_seen({{"x-forwarded-prefix", "/a/b/"}, {"X-Forwarded-For", "192.0.2.1"}}), "/a/b");
  EXPECT_EQ(prefix_seen({{"X-Forwarded-Prefix", "/forged, /troupe"}}), "/troupe");
  EXPECT_EQ(prefix_seen({{"X-Forwarded-Prefix", "/troupe"}, {"Forwarded", "for=192.0.2.1"}}), "/troupe");
  EXPECT_EQ(prefix_seen({{"X-Forwarded-Prefix", "/troupe"}}, "192.0.2.1"), "");
  EXPECT_EQ(prefix_seen({{"X-Forwarded-Prefix", "/troupe"}}, ""), "");
  EXPECT_EQ(prefix_seen(
                {{"X-Forwarded-Prefix", "/troupe"}, {"Forwarded", "for=192.0.2.1"}, {"X-Forwarded-For", "192.0.2.2"}}),
            "");
}

TEST(original_request, has_no_prefix_when_that_is_none) {
  EXPECT_EQ(prefix_seen({{"X-Forwarded-Prefix", "/" + std::string(255, 'x')}}).size(), 256U);
  const std::string long_one = "/" + std::string(256, 'x');
  for (auto bad : {"", "/", "//", "troupe", "//evil", "/a//b", "/..", "/a/../b", "/.a", "/a?b", "/a#b", "/a%2e", "/a b",
                   "/a\"b", "/a\\b", "/a\x7f", "/a\xc3\xa4", long_one.c_str()})
    EXPECT_EQ(prefix_seen({{"X-Forwarded-Prefix", bad}}), "") << bad;
}

TEST(original_request, is_what_forwarded_says) {
  EXPECT_EQ(seen_forwarded("for=192.0.2.1;proto=https;host=outside"), "192.0.2.1 https outside");
  EXPECT_EQ(seen_forwarded("For=\"192.0.2.1:4711\"; Proto=HTTPS ;HOST=\"outside:8443\""),
            "192.0.2.1 https outside:8443");
  EXPECT_EQ(seen_forwarded("for=\"[2001:db8::1]:80\""), "2001:db8::1 http inside");
  EXPECT_EQ(seen_forwarded("by=10.0.0.9;for=192.0.2.1"), "192.0.2.1 http inside");
}

TEST(original_request, is_what_the_last_one_says_that_all_trusted_ones_pass_on) {
  EXPECT_EQ(seen_forwarded("for=192.0.2.1;host=forged, for=192.0.2.2;host=outside, for=10.0.0.2;host=between"),
            "192.0.2.2 http outside");
  EXPECT_EQ(seen({{"Forwarded", "for=192.0.2.1"}, {"Forwarded", "for=192.0.2.2"}}), "192.0.2.2 http inside");
  EXPECT_EQ(seen_forwarded("for=192.0.2.1, for=unknown;proto=https"), "10.0.0.1 https inside");
  EXPECT_EQ(seen_forwarded("for=192.0.2.1, for=_hidden"), "10.0.0.1 http inside");
}

TEST(original_request, is_what_the_custom_fields_say) {
  EXPECT_EQ(seen({{"X-Forwarded-For", "192.0.2.1, 192.0.2.2"},
                  {"X-Forwarded-Proto", "https"},
                  {"X-Forwarded-Host", "forged, outside"}}),
            "192.0.2.2 https outside");
  EXPECT_EQ(seen({{"X-Forwarded-Proto", "https"}}), "10.0.0.1 https inside");
}

TEST(original_request, is_not_what_a_client_says_in_the_fields_of_another_kind) {
  EXPECT_EQ(seen({{"Forwarded", "for=192.0.2.1;host=forged"}, {"X-Forwarded-For", "192.0.2.2"}}),
            "10.0.0.1 http inside");
  EXPECT_EQ(seen({{"Forwarded", "for=_x"}, {"X-Forwarded-For", "192.0.2.2"}}), "10.0.0.1 http inside");
  EXPECT_EQ(seen({{"Forwarded", "for=192.0.2.2;host=outside"}, {"X-Forwarded-For", "192.0.2.2"}}),
            "192.0.2.2 http outside");
}

TEST(original_request, is_as_it_came_where_the_fields_cannot_be_read) {
  for (auto text : {"", ",", ";", "=", "for", "for=", "for=\"", "for=\"192.0.2.1", "for=\"\\",
                    "for=;host=", ",,;;==", "for=192.0.2.1.1", "for=[::1"})
    EXPECT_EQ(seen_forwarded(text), "10.0.0.1 http inside") << text;
}

namespace {

bool is_passed_on_with(std::string_view name) {
  return known_fields{fields{{"Host", "gw"}, {name, "192.0.2.1"}, {"Accept", "*/*"}}}.is_passed_on;
}

} // namespace

TEST(original_request, is_passed_on_when_it_bears_any_mark_of_a_proxy) {
  for (auto name : {"Forwarded",
                    "Via",
                    "X-Forwarded-For",
                    "X-Forwarded-Proto",
                    "X-Forwarded",
                    "X-Real-IP",
                    "CF-Connecting-IP",
                    "CF-Ray",
                    "CF-Visitor",
                    "True-Client-IP",
                    "X-Client-IP",
                    "Client-IP",
                    "Fastly-Client-IP",
                    "Fly-Client-IP",
                    "X-Cluster-Client-IP",
                    "WL-Proxy-Client-IP",
                    "Proxy-Client-IP",
                    "X-Envoy-External-Address",
                    "X-Envoy-Expected-Rq-Timeout-Ms",
                    "X-Original-Forwarded-For",
                    "X-Original-Host",
                    "X-Original-URL",
                    "X-Rewrite-URL",
                    "X-ARR-SSL",
                    "X-Azure-ClientIP",
                    "X-Appengine-User-IP",
                    "X-ProxyUser-Ip",
                    "X-Vercel-Forwarded-For",
                    "X-Nf-Client-Connection-Ip",
                    "DO-Connecting-IP",
                    "X-Remote-IP",
                    "X-Remote-Addr",
                    "CDN-Loop",
                    "Tailscale-User-Login"}) {
    EXPECT_TRUE(is_passed_on_with(name)) << name;
    EXPECT_TRUE(is_passed_on_with(lower(name))) << name;
  }
}

TEST(original_request, is_not_passed_on_by_what_clients_send) {
  for (auto name : {"Accept", "Authorization", "Origin", "MCP-Session-Id", "Mcp-Method", "Traceparent", "Last-Event-ID",
                    "X-Request-Id", "X-Api-Key", "Connection", "Sec-Fetch-Site", "X-Forward", "IP", "Via-Us", ""})
    EXPECT_FALSE(is_passed_on_with(name)) << name;
}

} // namespace troupe::tests::original_request_test

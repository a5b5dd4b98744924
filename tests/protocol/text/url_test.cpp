// Configured URLs, and references received from peers.

#include "protocol/text/url.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::url_test {

using namespace protocol;

namespace {

/// `secure host port target`, or the error.
std::string seen(std::string_view text) {
  std::string why_not;
  auto found = parse_http_url(text, why_not);
  if (!found)
    return why_not;
  return (found->is_secure ? "secure " : "plain ") + found->host + " " + std::to_string(found->port) + " " +
         found->target;
}

std::string origin_of(std::string_view text) {
  std::string why_not;
  return parse_http_url(text, why_not).value().origin();
}

constexpr auto no_host = "the URL has no good host";
constexpr auto no_port = "the URL has no good port";
constexpr auto no_scheme = "the URL does not begin with http:// or https://";

} // namespace

TEST(url, resolves_references_against_where_they_stood) {
  const std::string base = "https://example.com:8443/a/sse?x=1";
  struct {
    std::string reference, url;
  } some[]{{"/messages?sessionId=7", "https://example.com:8443/messages?sessionId=7"},
           {"messages", "https://example.com:8443/a/messages"},
           {"../m", "https://example.com:8443/m"},
           {"?s=1", "https://example.com:8443/a/sse?s=1"},
           {"//other.org/m", "https://other.org/m"},
           {"http://[::1]:80/m", "http://[::1]:80/m"},
           {"/m#part", "https://example.com:8443/m"},
           {"//other.org:/m", "https://other.org/m"}};
  for (auto& [reference, url] : some)
    EXPECT_EQ(resolved(base, reference), url) << reference;
}

TEST(url, refuses_what_leads_to_no_server) {
  for (auto bad : {"::", "http://", "ftp://example.com/", "javascript:alert(1)", "file:///etc/passwd", "/a b",
                   "/a\r\nb", "https://user@example.com/", "https://u:p@example.com/", "https:///m"})
    EXPECT_EQ(resolved("https://example.com/sse", bad), std::nullopt) << bad;
  EXPECT_EQ(resolved("no url", "/m"), std::nullopt);
}

TEST(url, is_so_long_at_most) {
  auto path = [](std::size_t size) { return "/" + std::string(size - 1, 'a'); };
  EXPECT_TRUE(resolved("http://a/", path(longest_url - 1)));
  EXPECT_TRUE(resolved("http://a/", path(longest_url)));
  EXPECT_FALSE(resolved("http://a/", path(longest_url + 1)));
}

TEST(url, has_the_origin_of_others_with_its_scheme_host_and_port) {
  const std::string one = "https://example.com/sse";
  for (auto same :
       {"https://example.com/m?x", "https://EXAMPLE.com:443/", "HTTPS://example.com", "https://example.com:/"})
    EXPECT_TRUE(same_origin(one, same)) << same;
  for (auto other :
       {"http://example.com/sse", "https://example.com:444/sse", "https://example.org/sse",
        "https://example.com.evil.org/sse", "https://example.com@evil.org/", "ws://example.com/", "", "/sse"})
    EXPECT_FALSE(same_origin(one, other)) << other;
  EXPECT_TRUE(same_origin("http://[::1]/", "http://[::1]:80/"));
  EXPECT_FALSE(same_origin("/", "/"));
}

TEST(url, of_port_zero_or_beyond_is_no_other_ports_origin) {
  EXPECT_FALSE(same_origin("https://a/", "https://a:0/"));
  EXPECT_FALSE(same_origin("https://a:443/", "https://a:65979/"));
}

TEST(http_url, is_taken_apart) {
  EXPECT_EQ(seen("HTTP://h:1/p?q=a%20b&c"), "plain h 1 /p?q=a%20b&c");
  EXPECT_EQ(seen("http://example.com:8080/mcp?a=b&c"), "plain example.com 8080 /mcp?a=b&c");
  EXPECT_EQ(seen("HTTPS://Example.COM/A?B"), "secure example.com 443 /A?B");
  EXPECT_EQ(seen("http://127.0.0.1"), "plain 127.0.0.1 80 /");
  EXPECT_EQ(seen("http://a_b-c.d/"), "plain a_b-c.d 80 /");
}

TEST(http_url, has_a_path_even_when_it_has_only_a_query) {
  EXPECT_EQ(seen("http://h?q=/@:"), "plain h 80 /?q=/@:");
  EXPECT_EQ(seen("http://h/a/@b:c//"), "plain h 80 /a/@b:c//");
}

TEST(http_url, may_have_an_address_of_ipv6) {
  EXPECT_EQ(seen("http://[::1]:81/x"), "plain ::1 81 /x");
  EXPECT_EQ(seen("https://[2001:DB8::1]"), "secure 2001:db8::1 443 /");
  for (auto text : {"http://[::1", "http://[]", "http://[::1%25lo]", "http://[::1%lo]", "http://[1.2.3.4]",
                    "http://[x]", "http://[:::]/mcp", "http://[v1.x]", "http://[::g]/", "http://h]/"})
    EXPECT_EQ(seen(text), no_host) << text;
  for (auto text : {"http://[::1]x", "http://[::1]x/", "http://[::1]x/y?z"})
    EXPECT_EQ(seen(text), no_port) << text;
  EXPECT_EQ(seen("http://::1/"), no_host);
}

TEST(http_url, names_its_port_only_when_that_is_not_the_scheme_s_own) {
  EXPECT_EQ(origin_of("http://h:80/x"), "http://h");
  EXPECT_EQ(origin_of("https://h:80/x"), "https://h:80");
  EXPECT_EQ(origin_of("https://[::1]:443"), "https://[::1]");
  EXPECT_EQ(origin_of("http://[::1]:443"), "http://[::1]:443");
}

TEST(http_url, has_a_port_between_1_and_65535) {
  EXPECT_EQ(seen("http://h:1"), "plain h 1 /");
  EXPECT_EQ(seen("http://h:65535"), "plain h 65535 /");
  for (auto text : {"http://h:/", "http://h:01/", "http://h:0", "http://h:65536", "http://h:-1", "http://h:+1",
                    "http://h:1x", "http://h:1:2", "http://h:99999999999999999999"})
    EXPECT_EQ(seen(text), no_port) << text;
}

TEST(http_url, has_a_host_of_letters_digits_dots_and_hyphens_no_longer_than_a_name_may_be) {
  for (auto text : {"http://", "http:///x", "http://:80", "http://?q", "http://a%20b", "http://a,b", "http://a\\b"})
    EXPECT_EQ(seen(text), no_host) << text;
  EXPECT_EQ(seen("http://" + std::string(252, 'a')).substr(0, 6), "plain ");
  EXPECT_EQ(seen("http://" + std::string(253, 'a')).substr(0, 6), "plain ");
  EXPECT_EQ(seen("http://" + std::string(254, 'a')), no_host);
}

TEST(http_url, is_of_http_or_https) {
  for (auto text :
       {"", ":", "http", "http:", "http:/h", "ftp://h", "//h/x", "/x", " http://h", "httpss://h", "file:///etc/passwd"})
    EXPECT_EQ(seen(text), no_scheme) << text;
}

TEST(http_url, has_neither_user_nor_fragment) {
  EXPECT_EQ(seen("http://user:secret@h/"), "the URL has a user in it");
  EXPECT_EQ(seen("http://@h/"), "the URL has a user in it");
  EXPECT_EQ(seen("http://h/#top"), "the URL has a fragment");
  EXPECT_EQ(seen("http://h#"), "the URL has a fragment");
}

TEST(http_url, has_no_character_that_RFC_3986_would_have_escaped) {
  for (auto text : {"http://h/a{b}", "http://h/a|b", "http://h/?\"", "http://h/%zz", "http://h/\\"})
    EXPECT_EQ(seen(text), "the URL has a character in its path, query or fragment that must be escaped") << text;
  EXPECT_EQ(seen("http://u%zz@h"), "the URL has a character in its user or password that must be escaped");
}

TEST(http_url, has_no_character_that_would_end_a_request_line) {
  for (auto text : {"http://h/a b", "http://h/\r\nX: y", "http://h/\t", "http://h/\xc3\xa4", "http://h/\x7f"})
    EXPECT_EQ(seen(text), "the URL has a character that must be escaped") << text;
  EXPECT_EQ(seen(std::string_view{"http://h/\0", 10}), "the URL has a character that must be escaped");
}

// RFC 3986, 6.2.2.1 and 6.2.3
TEST(canonical_uri, is_without_what_means_nothing_in_a_url) {
  EXPECT_EQ(canonical_uri("HTTPS://Gw.Example:443/MCP"), "https://gw.example/MCP");
  EXPECT_EQ(canonical_uri("https://gw.example/"), "https://gw.example");
  EXPECT_EQ(canonical_uri("https://gw.example/mcp/"), "https://gw.example/mcp/");
  EXPECT_EQ(canonical_uri("http://gw.example:8080/mcp"), "http://gw.example:8080/mcp");
  for (auto other : {"", "api://Troupe", "client-7", "https://gw.example/mcp#x", "https://u@gw.example/"})
    EXPECT_EQ(canonical_uri(other), other);
}

TEST(same_uri, differs_in_the_slash_of_an_origin_the_default_port_and_the_case_of_the_host_alone) {
  const std::string issuer = "https://as.example";
  for (auto same : {"https://as.example", "https://as.example/", "https://AS.example", "HTTPS://as.example:443/"}) {
    EXPECT_TRUE(same_uri(issuer, same)) << same;
    EXPECT_TRUE(same_uri(same, issuer)) << same;
  }
  for (auto other : {"", "as.example", "http://as.example", "https://as.example:8443", "https://as.example.evil",
                     "https://evil/https://as.example", "https://as.example/a", "https://as.example//",
                     "https://as.example/?", "https://as.example/?a", "https://as.example/#", "https://u@as.example",
                     "https://as.example.", "https://as.example/%2f"})
    EXPECT_FALSE(same_uri(issuer, other)) << other;
  EXPECT_FALSE(same_uri("https://as.example/a", "https://as.example/a/"));
  EXPECT_FALSE(same_uri("https://as.example/a", "https://as.example/A"));
  EXPECT_TRUE(same_uri("urn:a", "urn:a"));
  EXPECT_FALSE(same_uri("urn:a", "URN:a"));
}

} // namespace troupe::tests::url_test

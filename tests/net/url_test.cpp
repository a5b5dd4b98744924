#include "net/url.hpp"

#include <gtest/gtest.h>

using namespace troupe::net;

namespace {

/// `secure host port target`, or why not.
std::string seen(std::string_view text) {
  std::string why_not;
  auto found = parse_url(text, why_not);
  if (!found)
    return why_not;
  return (found->is_secure ? "secure " : "plain ") + found->host + " " + std::to_string(found->port) + " " +
         found->target;
}

std::string origin_of(std::string_view text) {
  std::string why_not;
  return parse_url(text, why_not).value().origin();
}

constexpr auto no_host = "the URL has no good host";
constexpr auto no_port = "the URL has no good port";
constexpr auto no_scheme = "the URL does not begin with http:// or https://";

} // namespace

TEST(url, is_taken_apart) {
  EXPECT_EQ(seen("http://example.com:8080/mcp?a=b&c"), "plain example.com 8080 /mcp?a=b&c");
  EXPECT_EQ(seen("HTTPS://Example.COM/A?B"), "secure example.com 443 /A?B");
  EXPECT_EQ(seen("http://127.0.0.1"), "plain 127.0.0.1 80 /");
  EXPECT_EQ(seen("http://a_b-c.d:/"), "plain a_b-c.d 80 /");
}

TEST(url, has_a_path_even_when_it_has_only_a_query) {
  EXPECT_EQ(seen("http://h?q=/@:"), "plain h 80 /?q=/@:");
  EXPECT_EQ(seen("http://h/a/@b:c//"), "plain h 80 /a/@b:c//");
}

TEST(url, may_have_an_address_of_ipv6) {
  EXPECT_EQ(seen("http://[::1]:81/x"), "plain ::1 81 /x");
  EXPECT_EQ(seen("https://[2001:DB8::1]"), "secure 2001:db8::1 443 /");
  for (auto text :
       {"http://[::1", "http://[]", "http://[::1%25lo]", "http://[::1%lo]", "http://[1.2.3.4]", "http://[x]"})
    EXPECT_EQ(seen(text), no_host) << text;
  EXPECT_EQ(seen("http://[::1]x"), no_port);
  EXPECT_EQ(seen("http://::1/"), no_host);
}

TEST(url, names_its_port_only_when_that_is_not_the_scheme_s_own) {
  EXPECT_EQ(origin_of("http://h:80/x"), "http://h");
  EXPECT_EQ(origin_of("https://h:80/x"), "https://h:80");
  EXPECT_EQ(origin_of("https://[::1]:443"), "https://[::1]");
  EXPECT_EQ(origin_of("http://[::1]:443"), "http://[::1]:443");
}

TEST(url, has_a_port_between_1_and_65535) {
  EXPECT_EQ(seen("http://h:1"), "plain h 1 /");
  EXPECT_EQ(seen("http://h:65535"), "plain h 65535 /");
  for (auto text : {"http://h:0", "http://h:65536", "http://h:-1", "http://h:+1", "http://h:1x", "http://h:1:2",
                    "http://h:99999999999999999999"})
    EXPECT_EQ(seen(text), no_port) << text;
}

TEST(url, has_a_host_of_letters_digits_dots_and_hyphens_no_longer_than_a_name_may_be) {
  for (auto text : {"http://", "http:///x", "http://:80", "http://?q", "http://a%20b", "http://a,b", "http://a\\b"})
    EXPECT_EQ(seen(text), no_host) << text;
  EXPECT_EQ(seen("http://" + std::string(252, 'a')).substr(0, 6), "plain ");
  EXPECT_EQ(seen("http://" + std::string(253, 'a')).substr(0, 6), "plain ");
  EXPECT_EQ(seen("http://" + std::string(254, 'a')), no_host);
}

TEST(url, is_of_http_or_https) {
  for (auto text : {"", ":", "http", "http:", "http:/h", "ftp://h", "//h/x", "/x", "httpss://h", "file:///etc/passwd"})
    EXPECT_EQ(seen(text), no_scheme) << text;
}

TEST(url, has_neither_user_nor_fragment) {
  EXPECT_EQ(seen("http://user:secret@h/"), "the URL has a user in it");
  EXPECT_EQ(seen("http://@h/"), "the URL has a user in it");
  EXPECT_EQ(seen("http://h/#top"), "the URL has a fragment");
  EXPECT_EQ(seen("http://h#"), "the URL has a fragment");
}

TEST(url, has_no_character_that_would_end_a_request_line) {
  for (auto text :
       {"http://h/a b", "http://h/\r\nX: y", "http://h/\t", "http://h/\xc3\xa4", "http://h/\x7f", " http://h"})
    EXPECT_EQ(seen(text), "the URL has a character that must be escaped") << text;
  EXPECT_EQ(seen(std::string_view{"http://h/\0", 10}), "the URL has a character that must be escaped");
}

TEST(url, has_an_authority_that_is_taken_apart_alone) {
  std::string host;
  std::uint16_t port = 0;
  EXPECT_EQ(parse_authority("Example.com", 6379, host, port), "");
  EXPECT_EQ(host + " " + std::to_string(port), "example.com 6379");
  EXPECT_EQ(parse_authority("[::1]:1", 6379, host, port), "");
  EXPECT_EQ(host + " " + std::to_string(port), "::1 1");
  EXPECT_EQ(parse_authority("", 6379, host, port), no_host);
  EXPECT_EQ(parse_authority("h:65536", 6379, host, port), no_port);
}

// References that peers write, and where they lead.

#include "protocol/text/url.hpp"

#include <gtest/gtest.h>

using namespace troupe::protocol;

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
           {"/m#part", "https://example.com:8443/m"}};
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

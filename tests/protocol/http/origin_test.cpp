#include "protocol/http/entry.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::origin_test {

using namespace protocol;

TEST(origin, of_this_machine_passes_on_any_port) {
  for (auto origin : {"http://localhost", "http://localhost:1", "http://localhost:8080", "https://localhost:6274",
                      "http://LocalHost:3000", "http://127.0.0.1", "http://127.0.0.1:8080", "https://127.0.0.1:443",
                      "http://[::1]", "http://[::1]:8080"})
    EXPECT_TRUE(origin_allowed(origin, {})) << origin;
}

TEST(origin, of_another_machine_is_refused) {
  for (auto origin : {"http://evil.example.com", "https://evil.example.com:8080", "http://192.168.0.1",
                      "http://0.0.0.0", "http://127.0.0.2", "http://[::2]", "http://[::ffff:7f00:1]:80"})
    EXPECT_FALSE(origin_allowed(origin, {})) << origin;
}

TEST(origin, null_is_refused) { EXPECT_FALSE(origin_allowed("null", {})); }

TEST(origin, that_only_looks_like_this_machine_is_refused) {
  for (auto origin : {"http://localhost.evil.com",
                      "http://127.0.0.1.evil.com",
                      "http://localhost:1@evil.com",
                      "http://localhost@evil.com",
                      "http://evil.com#localhost",
                      "http://evil.com/localhost",
                      "http://evil.com?localhost",
                      "http://xlocalhost",
                      "http://localhost:80.evil.com",
                      "http://user@localhost",
                      "http://localhost/",
                      "http://localhost:8080/x",
                      "http://localhost?",
                      "http://localhost#",
                      "http://%6cocalhost",
                      "http://localhost evil.com",
                      "http://localhost\\@evil.com",
                      "http://[::1].evil.com",
                      "http://[::1",
                      "localhost",
                      "localhost:8080",
                      "//localhost",
                      "http:localhost",
                      "http://",
                      "://localhost",
                      "http://localhost, http://evil.com"})
    EXPECT_FALSE(origin_allowed(origin, {})) << origin;
}

TEST(origin, of_other_schemes_on_this_machine_is_refused) {
  for (auto origin : {"file://localhost", "ftp://localhost", "chrome-extension://localhost", "ws://localhost"})
    EXPECT_FALSE(origin_allowed(origin, {})) << origin;
}

TEST(origin, among_the_allowed_is_compared_whole) {
  std::vector<std::string> allowed{"https://app.example.com", "http://other.example.com:8080"};
  EXPECT_TRUE(origin_allowed("https://app.example.com", allowed));
  EXPECT_TRUE(origin_allowed("https://APP.example.com", allowed));
  EXPECT_TRUE(origin_allowed("http://other.example.com:8080", allowed));
  EXPECT_TRUE(origin_allowed("http://localhost:1", allowed));
  for (auto origin : {"http://app.example.com", "https://app.example.com:8443", "https://app.example.com.evil.com",
                      "https://x.app.example.com", "http://other.example.com", "https://app.example.com/", "null"})
    EXPECT_FALSE(origin_allowed(origin, allowed)) << origin;
}

TEST(origin, null_passes_when_it_is_among_the_allowed) { EXPECT_TRUE(origin_allowed("null", {"null"})); }

TEST(origin, of_any_kind_passes_when_a_star_is_among_the_allowed) {
  for (auto origin : {"http://evil.example.com", "null", "chrome-extension://abc"})
    EXPECT_TRUE(origin_allowed(origin, {"https://a.example", "*"})) << origin;
}

TEST(origin, star_is_no_pattern) { EXPECT_FALSE(origin_allowed("https://a.example", {"https://*"})); }

TEST(host, of_this_machine_passes_with_any_port_or_none) {
  for (auto host : {"localhost", "LOCALHOST", "localhost:1", "localhost:65535", "127.0.0.1", "127.0.0.1:8080", "[::1]",
                    "[::1]:8080"})
    EXPECT_TRUE(host_is_local(host, "127.0.0.1")) << host;
}

TEST(host, of_another_machine_is_refused) {
  for (auto host : {"", "evil.example.com", "evil.example.com:8080", "localhost.evil.com", "127.0.0.1.evil.com",
                    "localhost:80@evil.com", "localhost:x", "localhost:123456", "127.0.0.2", "::1", "[::1", "[::2]",
                    "localhost/", "http://localhost", "localhost,evil.com", ":8080", "localhost:80:80"})
    EXPECT_FALSE(host_is_local(host, "127.0.0.1")) << host;
}

TEST(host, that_we_listen_on_passes) {
  EXPECT_TRUE(host_is_local("127.0.0.2:8080", "127.0.0.2"));
  EXPECT_TRUE(host_is_local("Box.local", "box.local"));
  EXPECT_TRUE(host_is_local("localhost", "127.0.0.2"));
  EXPECT_FALSE(host_is_local("127.0.0.3", "127.0.0.2"));
}

TEST(host, that_is_empty_is_nobody_even_when_we_do_not_know_our_own) {
  EXPECT_FALSE(host_is_local("", ""));
  EXPECT_FALSE(host_is_local(":80", ""));
}

TEST(host, that_is_allowed_passes_with_any_port_or_with_its_own) {
  std::vector<std::string> allowed{"gw.example.com", "other.example.com:8443", "[2001:db8::1]"};
  for (auto host : {"gw.example.com", "GW.example.com:1", "other.example.com:8443", "[2001:db8::1]:80"})
    EXPECT_TRUE(host_allowed(host, allowed)) << host;
  for (auto host : {"", "example.com", "x.gw.example.com", "gw.example.com.evil.org", "other.example.com",
                    "other.example.com:80", "gw.example.com:x", "evil.org"})
    EXPECT_FALSE(host_allowed(host, allowed)) << host;
  EXPECT_TRUE(host_allowed("any", {"*"}));
  EXPECT_FALSE(host_allowed("", {"*"}));
}

} // namespace troupe::tests::origin_test

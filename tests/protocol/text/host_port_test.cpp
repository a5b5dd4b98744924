#include "protocol/text/host_port.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::host_port_test {

using namespace protocol;

TEST(host_port, is_a_name_or_an_address_and_a_port) {
  EXPECT_EQ(read_host_port("node-1:7946"), (host_port{"node-1", 7946}));
  EXPECT_EQ(read_host_port("a.b_c:1"), (host_port{"a.b_c", 1}));
  EXPECT_EQ(read_host_port("127.0.0.1:0"), (host_port{"127.0.0.1", 0}));
  EXPECT_EQ(read_host_port("0.0.0.0:65535"), (host_port{"0.0.0.0", 65535}));
}

TEST(host_port, has_brackets_around_an_address_of_ipv6) {
  EXPECT_EQ(read_host_port("[::1]:7946"), (host_port{"::1", 7946}));
  EXPECT_EQ(read_host_port("[fd00::a:1]:1"), (host_port{"fd00::a:1", 1}));
  EXPECT_EQ(host_port_text("::1", 7946), "[::1]:7946");
  EXPECT_EQ(host_port_text("[::1]", 7946), "[::1]:7946");
  EXPECT_EQ(host_port_text("node-1", 1), "node-1:1");
}

TEST(host_port, is_nothing_else) {
  for (const auto* text : {"",
                           ":",
                           "a",
                           "a:",
                           ":1",
                           "::1:7946",
                           "[]:1",
                           "[::1]",
                           "[::1]7946",
                           "[::1",
                           "::1]:1",
                           "[::g]:1",
                           "[:::]:1",
                           "a:-1",
                           "a:+1",
                           "a:01",
                           "a:00",
                           "a:65536",
                           "a:99999999999999999999",
                           "a:1 ",
                           " a:1",
                           "a b:1",
                           "a:1,b:1",
                           "http://a:1",
                           "a/b:1",
                           "a@b:1",
                           "é:1",
                           "a:b:1"})
    EXPECT_EQ(read_host_port(text), std::nullopt) << text;
}

TEST(host_port, knows_what_only_this_machine_reaches) {
  for (const auto* host : {"127.0.0.1", "127.255.0.9", "localhost", "LocalHost", "::1", "[::1]"})
    EXPECT_TRUE(is_loopback(host)) << host;
  for (const auto* host :
       {"", "0.0.0.0", "::", "128.0.0.1", "127.0.0.256", "127.0.0", "127.0.0.1.2", "127.0.0.1.example.org", "127.",
        "127.a.b.c", "localhost.example.org", "::2", "::ffff:127.0.0.1", "node-1", "10.127.0.1"})
    EXPECT_FALSE(is_loopback(host)) << host;
}

TEST(host_port, knows_every_spelling_of_every_address) {
  for (const auto* host : {"", "*", "0.0.0.0", "0", "00.0.0.0", "::", "[::]", "::0", "0:0:0:0:0:0:0:0"})
    EXPECT_TRUE(is_wildcard(host)) << host;
  for (const auto* host : {"::1", "0.0.0.1", "a", "10.0.0.0", "node-0"})
    EXPECT_FALSE(is_wildcard(host)) << host;
}

} // namespace troupe::tests::host_port_test

#include "protocol/text/ip_address.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::ip_address_test {

using namespace protocol;

namespace {

bool has(const std::string& network, std::string_view address) {
  auto read = read_ip_address(address);
  return read && ip_networks{{network}}.has(*read);
}

} // namespace

TEST(ip_address, is_of_either_version) {
  EXPECT_TRUE(read_ip_address("192.0.2.1")->is_four());
  EXPECT_FALSE(read_ip_address("2001:db8::1")->is_four());
  EXPECT_EQ(read_ip_address("::ffff:192.0.2.1"), read_ip_address("192.0.2.1"));
  for (const auto* text : {"", "localhost", "192.0.2", "192.0.2.256", "[::1]", "fe80::1%eth0", "1.2.3.4 "})
    EXPECT_FALSE(read_ip_address(text)) << text;
}

TEST(ip_address, may_be_this_machine) {
  for (const auto* text : {"127.0.0.1", "127.255.0.1", "::1", "::ffff:127.0.0.1"})
    EXPECT_TRUE(read_ip_address(text)->is_loopback()) << text;
  for (const auto* text : {"128.0.0.1", "126.255.255.255", "::2", "::", "7f00::"})
    EXPECT_FALSE(read_ip_address(text)->is_loopback()) << text;
}

TEST(ip_networks, have_the_addresses_with_their_first_bits) {
  EXPECT_TRUE(has("10.0.0.0/8", "10.255.0.1"));
  EXPECT_FALSE(has("10.0.0.0/8", "11.0.0.0"));
  EXPECT_TRUE(has("192.0.2.128/25", "192.0.2.128"));
  EXPECT_FALSE(has("192.0.2.128/25", "192.0.2.127"));
  EXPECT_TRUE(has("192.0.2.1", "192.0.2.1"));
  EXPECT_FALSE(has("192.0.2.1", "192.0.2.0"));
  EXPECT_TRUE(has("2001:db8::/32", "2001:db8:ffff::1"));
  EXPECT_FALSE(has("2001:db8::/32", "2001:db9::"));
  EXPECT_TRUE(has("0.0.0.0/0", "198.51.100.1"));
  EXPECT_FALSE(has("0.0.0.0/0", "2001:db8::1"));
  EXPECT_TRUE(has("::/0", "198.51.100.1"));
}

TEST(ip_networks, are_written_as_an_address_and_its_bits) {
  for (const auto* text : {"10.0.0.0/8", "10.0.0.1", "10.0.0.1/32", "::1/128", "::1", "::/0"})
    EXPECT_TRUE(ip_networks::is_valid(text)) << text;
  for (const auto* text : {"", "10.0.0.0/33", "::1/129", "10.0.0.0/", "10.0.0.0/-1", "/8", "proxy", "10.0.0.0/8/8"})
    EXPECT_FALSE(ip_networks::is_valid(text)) << text;
}

// RFC 6890
TEST(ip_address, is_public_unless_it_is_for_something_special) {
  for (auto text : {"8.8.8.8", "1.1.1.1", "9.255.255.255", "11.0.0.0", "172.15.255.255", "172.32.0.0", "100.63.255.255",
                    "100.128.0.0", "169.253.255.255", "192.167.255.255", "223.255.255.255", "2606:4700::1111",
                    "2001:200::1", "::ffff:8.8.8.8"})
    EXPECT_TRUE(read_ip_address(text)->is_public()) << text;
  for (auto text : {"0.0.0.0",
                    "10.0.0.0",
                    "10.255.255.255",
                    "127.0.0.1",
                    "169.254.169.254",
                    "172.16.0.0",
                    "172.31.255.255",
                    "192.168.0.1",
                    "100.64.0.0",
                    "100.127.255.255",
                    "224.0.0.1",
                    "255.255.255.255",
                    "::",
                    "::1",
                    "::7f00:1",
                    "::ffff:127.0.0.1",
                    "::ffff:a9fe:a9fe",
                    "fc00::1",
                    "fdff::1",
                    "fe80::1",
                    "febf::1",
                    "ff02::1",
                    "64:ff9b::7f00:1",
                    "2002:7f00:1::",
                    "2001::1"})
    EXPECT_FALSE(read_ip_address(text)->is_public()) << text;
}

TEST(ip_address, is_written_as_people_write_it) {
  for (auto text : {"127.0.0.1", "255.0.10.9", "::1", "2001:db8::1", "fe80::1:0:0:1"})
    EXPECT_EQ(address_text(*read_ip_address(text)), text);
  EXPECT_EQ(address_text(*read_ip_address("::ffff:10.0.0.1")), "10.0.0.1");
}

} // namespace troupe::tests::ip_address_test

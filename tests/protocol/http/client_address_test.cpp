#include "protocol/http/original_request.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace troupe::tests::client_address_test {

using namespace protocol;

namespace {

const std::string first{"\xc0\x00\x02\x01", 4};
const std::string second{"\xc0\x00\x02\x02", 4};
const std::string proxy{"\x0a\x00\x00\x01", 4};

std::string seen(std::string_view peer, const std::vector<std::string_view>& forwarded = {}) {
  http_request request{.method = {}, .target = {}, .fields = {}, .body = {}, .peer = peer};
  for (auto text : forwarded)
    request.fields.push_back({"x-forwarded-for", text});
  return client_address(request, ip_networks{{"10.0.0.0/8"}});
}

} // namespace

TEST(client_address, is_that_of_the_connection) {
  EXPECT_EQ(seen("192.0.2.1"), first);
  EXPECT_EQ(seen("::ffff:192.0.2.1"), first);
  EXPECT_EQ(seen("192.0.2.1", {"192.0.2.2"}), first);
  EXPECT_EQ(seen(""), "");
}

TEST(client_address, is_the_network_of_an_ipv6_host) {
  EXPECT_EQ(seen("2001:db8:1:2:3:4:5:6"), seen("2001:db8:1:2::1"));
  EXPECT_NE(seen("2001:db8:1:2::1"), seen("2001:db8:1:3::1"));
  EXPECT_EQ(seen("2001:db8::1").size(), 8u);
}

TEST(client_address, is_none_on_this_machine) {
  EXPECT_EQ(seen("127.0.0.1"), "");
  EXPECT_EQ(seen("::1"), "");
  EXPECT_EQ(seen("127.0.0.1", {"192.0.2.1"}), "");
}

TEST(client_address, on_this_machine_that_a_proxy_names_is_as_any) {
  const std::string here{"\x7f\x00\x00\x01", 4};
  EXPECT_EQ(seen("10.0.0.1", {"127.0.0.1"}), here);
  EXPECT_EQ(seen("10.0.0.1", {"127.0.0.1:4711"}), here);
  EXPECT_EQ(seen("10.0.0.1", {"::1"}), (std::string(8, '\0')));
  http_request request{.method = {}, .target = {}, .fields = {{"Forwarded", "for=x"}}, .body = {}};
  request.is_local = true;
  request.peer = "127.0.0.1";
  EXPECT_EQ(client_address(request, ip_networks{{"127.0.0.1"}}), here) << "whatever it names, it passes something on";
  request.fields.clear();
  EXPECT_EQ(client_address(request, ip_networks{{"127.0.0.1"}}), "");
}

TEST(client_address, of_a_proxy_on_this_machine_is_what_it_says) {
  http_request request{.method = {}, .target = {}, .fields = {{"X-Forwarded-For", "192.0.2.1"}}, .body = {}};
  request.is_local = true;
  request.peer = "127.0.0.1";
  EXPECT_EQ(client_address(request, {}), "");
  EXPECT_EQ(client_address(request, ip_networks{{"127.0.0.1"}}), first);
}

TEST(client_address, is_what_trusted_proxies_say) {
  EXPECT_EQ(seen("10.0.0.1"), proxy);
  EXPECT_EQ(seen("10.0.0.1", {"192.0.2.1"}), first);
  EXPECT_EQ(seen("10.0.0.1", {"192.0.2.2, 192.0.2.1"}), first);
  EXPECT_EQ(seen("10.0.0.1", {"192.0.2.2, 192.0.2.1, 10.2.3.4"}), first);
  EXPECT_EQ(seen("10.0.0.1", {"192.0.2.2", "192.0.2.1"}), first);
  EXPECT_EQ(seen("10.0.0.1", {"192.0.2.1:4711"}), first);
  EXPECT_EQ(seen("10.0.0.1", {"[2001:db8::1]:4711"}), seen("2001:db8::1"));
}

TEST(client_address, of_a_connection_is_that_of_no_proxy_and_not_of_this_machine) {
  const ip_networks trusted{{"10.0.0.0/8"}};
  EXPECT_EQ(connection_address("192.0.2.1", trusted), first);
  EXPECT_EQ(connection_address("10.0.0.1", {}), proxy);
  for (auto peer : {"10.0.0.1", "127.0.0.1", "::1", "", "x"})
    EXPECT_EQ(connection_address(peer, trusted), "") << peer;
}

TEST(client_address, goes_back_no_further_than_what_can_be_read) {
  EXPECT_EQ(seen("10.0.0.1", {"unknown"}), proxy);
  EXPECT_EQ(seen("10.0.0.1", {"192.0.2.2, ,192.0.2.1"}), first);
  EXPECT_EQ(seen("10.0.0.1", {"192.0.2.2, x, 10.0.0.1"}), proxy);
}

} // namespace troupe::tests::client_address_test

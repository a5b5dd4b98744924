// Log lines about refused peers.

#include "protocol/cluster/refused_peer_log.hpp"
#include "tests/support/membership_driver.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::refused_peer_log_test {

namespace {

constexpr time_point begun{1h};
constexpr bool of_node = false;
constexpr bool of_stranger = true;

log_note line(log_note::weight weight, const std::string& address, const std::string& why) {
  return {weight, "a caller at the port for nodes is turned away", {{"address", address}, {"why", why}}};
}

} // namespace

TEST(refused_peer_log, says_each_reason_of_an_address_once) {
  refused_peer_log all;
  EXPECT_EQ(all.add("::1", "key", of_node, begun), line(log_note::weight::warning, "::1", "key"));
  EXPECT_EQ(all.add("::1", "key", of_node, begun), std::nullopt);
  EXPECT_EQ(all.add("::1", "version", of_node, begun), line(log_note::weight::warning, "::1", "version"));
  EXPECT_EQ(all.add("::2", "key", of_node, begun), line(log_note::weight::warning, "::2", "key"));
}

TEST(refused_peer_log, says_it_again_after_an_hour) {
  refused_peer_log all;
  all.add("::1", "key", of_node, begun);
  EXPECT_EQ(all.add("::1", "key", of_node, begun + 1h - 1ms), std::nullopt);
  EXPECT_TRUE(all.add("::1", "key", of_node, begun + 1h));
}

TEST(refused_peer_log, says_no_more_than_so_much_of_strangers_and_then_still_of_nodes) {
  refused_peer_log all;
  for (std::size_t i = 1; i < refused_peer_log::most; ++i)
    EXPECT_TRUE(all.add(std::to_string(i), "nothing", of_stranger, begun));
  EXPECT_EQ(all.add("the last", "nothing", of_stranger, begun), line(log_note::weight::info, "the last", "nothing"));
  EXPECT_EQ(all.add("one more", "nothing", of_stranger, begun), std::nullopt);
  EXPECT_TRUE(all.add("one more", "key", of_node, begun));
  EXPECT_TRUE(all.add("one more", "nothing", of_stranger, begun + 1h));
}

} // namespace troupe::tests::refused_peer_log_test

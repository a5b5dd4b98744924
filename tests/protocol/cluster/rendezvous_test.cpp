// The node of a key by rendezvous hashing.

#include "protocol/cluster/session_routes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace troupe::tests::rendezvous_test {

using namespace protocol;

namespace {

constexpr std::size_t many = 10'000;

/// Node numbers are digests of names, but small numbers must work as well.
const std::vector<node_life> five{{1, 9}, {2, 9}, {3, 9}, {0x9e3779b97f4a7c15U, 9}, {0xf000000000000001U, 9}};

std::string key(std::size_t number) { return "lease 4:/mcp8:user" + std::to_string(number) + "1:"; }

std::vector<node_life> without(std::vector<node_life> nodes, node_life gone) {
  std::erase(nodes, gone);
  return nodes;
}

} // namespace

TEST(rendezvous, spreads_keys_evenly) {
  std::map<node_life, std::size_t> keys;
  for (std::size_t i = 0; i < many; ++i)
    ++keys[node_of_key(key(i), five).value()];
  ASSERT_EQ(keys.size(), five.size());
  for (auto& [node, count] : keys) {
    EXPECT_GT(count, many / five.size() * 85 / 100) << node.node;
    EXPECT_LT(count, many / five.size() * 115 / 100) << node.node;
  }
}

TEST(rendezvous, moves_only_the_keys_of_a_node_that_goes) {
  for (auto& gone : five) {
    std::map<node_life, std::size_t> moved;
    for (std::size_t i = 0; i < many; ++i) {
      auto before = node_of_key(key(i), five);
      auto after = node_of_key(key(i), without(five, gone));
      if (before == gone)
        ++moved[after.value()];
      else
        EXPECT_EQ(before, after) << key(i);
    }
    EXPECT_EQ(moved.size(), 4u) << "each of the others takes some";
  }
}

TEST(rendezvous, does_not_depend_on_the_order) {
  auto reversed = five;
  std::ranges::reverse(reversed);
  for (std::size_t i = 0; i < 100; ++i)
    EXPECT_EQ(node_of_key(key(i), five), node_of_key(key(i), reversed)) << key(i);
}

TEST(rendezvous, gives_a_node_that_was_restarted_its_keys_again) {
  auto restarted = five;
  restarted[2].incarnation = 10;
  for (std::size_t i = 0; i < 100; ++i)
    EXPECT_EQ(node_of_key(key(i), five)->node, node_of_key(key(i), restarted)->node) << key(i);
}

/// Nodes of different builds must agree.
TEST(rendezvous, is_the_same_in_every_release) {
  std::string chosen;
  for (std::size_t i = 0; i < 20; ++i)
    chosen += std::to_string(std::ranges::find(five, *node_of_key(key(i), five)) - five.begin());
  EXPECT_EQ(chosen, "21233110342042034442");
}

TEST(rendezvous, knows_one_node_and_none) {
  EXPECT_EQ(node_of_key("k", {}), std::nullopt);
  EXPECT_EQ(node_of_key("k", {five[0]}), five[0]);
  EXPECT_EQ(node_of_key("", {five[0]}), five[0]);
}

} // namespace troupe::tests::rendezvous_test

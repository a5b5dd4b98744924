// The description of a node, sent before there is a link.

#include "protocol/cluster/node_identity.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::node_card_test {

using namespace protocol;

namespace {

const node_card card{"1", {2, 3}, "a node"};
const std::string life = "00000000000000020000000000000003";

} // namespace

TEST(node_card, is_read_as_it_was_written) {
  EXPECT_EQ(card_text(card), "1 " + life + " a node");
  EXPECT_EQ(read_card(card_text(card)), card);
}

TEST(node_card, needs_all_its_parts) {
  for (std::string text : {"", "1", "1 %", "1 % ", " % a", "1 12 a"}) {
    if (auto at = text.find('%'); at != text.npos)
      text.replace(at, 1, life);
    EXPECT_EQ(read_card(text), std::nullopt) << text;
  }
}

} // namespace troupe::tests::node_card_test

// Lost members, and whether their lives have ended.

#include "protocol/cluster/lost_members.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::lost_members_test {

using namespace protocol;

namespace {

const node_life other{2, 5};
const node_life stranger{3, 5};

node_life earlier(node_life of) { return {of.node, of.incarnation - 1}; }
node_life later(node_life of) { return {of.node, of.incarnation + 1}; }

using lives = std::vector<node_life>;

lost_members two_lost() {
  lost_members result;
  result.lost(other, "a:1");
  result.lost(stranger, "b:1");
  return result;
}

} // namespace

TEST(lost_members, have_ended_when_no_process_listens_at_their_address) {
  auto it = two_lost();
  EXPECT_EQ(it.refused_at("c:1"), lives{});
  EXPECT_EQ(it.refused_at("a:1"), lives{other});
  EXPECT_EQ(it.refused_at("a:1"), lives{}) << "it is said once";
}

TEST(lost_members, have_ended_when_another_answers_at_their_address) {
  auto it = two_lost();
  EXPECT_EQ(it.met("a:1", other), lives{});
  EXPECT_EQ(it.met("a:1", {9, 1}), lives{other});
}

TEST(lost_members, have_ended_when_a_later_one_of_the_node_is_met_anywhere) {
  auto it = two_lost();
  EXPECT_EQ(it.met("", earlier(other)), lives{});
  EXPECT_EQ(it.met("", later(other)), lives{other});
  EXPECT_EQ(it.met("c:1", later(stranger)), lives{stranger});
}

TEST(lost_members, that_are_back_have_not_ended) {
  auto it = two_lost();
  it.joined(other);
  EXPECT_EQ(it.refused_at("a:1"), lives{});
  EXPECT_EQ(it.refused_at("b:1"), lives{stranger});
}

TEST(lost_members, are_remembered_up_to_a_limit) {
  lost_members it;
  for (std::uint64_t i = 0; i <= lost_members::most; ++i)
    it.lost({i, 1}, std::to_string(i));
  EXPECT_EQ(it.refused_at("0"), lives{});
  EXPECT_EQ(it.refused_at("1"), (lives{{1, 1}}));
}

} // namespace troupe::tests::lost_members_test

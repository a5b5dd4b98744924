// Nodes whose keys change while they run.

#include "tests/net/node/node_link_test.hpp"

#include "net/guarded.hpp"

namespace troupe::tests::node_link_keys_test {

using namespace net;

namespace {

using keys = std::vector<std::string>;

const std::string another_key = "failed: it has another cluster key";

node_link_options with(keys known) {
  auto result = patient();
  result.keys = std::move(known);
  return result;
}

/// The keys that a node finds at its next check, and a journal of its log. Both outlive the node.
class changing_keys {
public:
  node_link_options begin(keys first) {
    auto result = with(std::move(first));
    result.key_pause = std::chrono::milliseconds{50};
    result.look_for_keys = [this] { return next_.with([](auto& next) { return std::exchange(next, std::nullopt); }); };
    result.on_new_keys = [this](std::size_t known, std::size_t left_over) {
      told.note(std::to_string(known) + " keys, " + std::to_string(left_over) + " left over");
    };
    return result;
  }
  /// Changes the keys, and returns the node's log line about them.
  std::string change(keys to) {
    const auto before = told.all().size();
    next_.with([&](auto& next) { next = std::move(to); });
    return told.wait_for(before + 1).back();
  }

  journal told;

private:
  guarded<std::optional<keys>> next_;
};

std::string dialled(link_node& from, const link_node& to) {
  const auto before = from.seen.all().size();
  from.dial(to.address());
  // A link that is not accepted closes at once, so its end may already be noted.
  for (auto at = before;; ++at) {
    const auto all = from.seen.wait_for(at + 1);
    if (at >= all.size())
      return "nothing";
    if (all[at].starts_with("reached ") || all[at].starts_with("failed: "))
      return all[at];
  }
}

} // namespace

// A key rotation: the new key is appended, then moved to the front, then the old one is removed.
TEST_F(node_link_test, takes_the_first_key_of_the_caller_for_any_of_its_own) {
  const std::vector<keys> states = {{"old"}, {"old", "new"}, {"new", "old"}, {"new"}};
  for (const auto& callers : states)
    for (const auto& ours : states) {
      link_node from{"from", with(callers)}, to{"to", with(ours)};
      const bool is_known = std::ranges::find(ours, callers.front()) != ours.end();
      EXPECT_EQ(dialled(from, to), is_known ? "reached to" : another_key) << callers.size() << ours.size();
    }
}

TEST_F(node_link_test, takes_each_of_four_keys) {
  link_node to{"to", with({"one", "two", "three", "four"})};
  for (const std::string key : {"one", "two", "three", "four"}) {
    link_node from{"from", with({key})};
    EXPECT_EQ(dialled(from, to), "reached to") << key;
  }
  link_node from{"from", with({"five"})};
  EXPECT_EQ(dialled(from, to), another_key);
  EXPECT_EQ(to.refused_peer_log.wait_for(1), lines{"127.0.0.1 it has another cluster key"});
}

// Nodes with a single key behave like this.
TEST_F(node_link_test, takes_a_caller_that_does_not_name_its_key_for_one_with_the_first) {
  link_node node{"node", with({"old", "new"})};
  caller first{node.port(), "old"};
  first.prove();
  EXPECT_TRUE(first.talk.is_authenticated());
  caller second{node.port(), "new"};
  second.prove();
  EXPECT_FALSE(second.talk.is_authenticated());
  EXPECT_EQ(node.refused_peer_log.wait_for(1), lines{"127.0.0.1 it has another cluster key"});
}

TEST_F(node_link_test, has_its_key_changed_without_losing_a_link) {
  changing_keys at_a, at_b;
  link_node a{"a", at_a.begin({"old"})}, b{"b", at_b.begin({"old"})};
  EXPECT_EQ(dialled(a, b), "reached b");
  EXPECT_EQ(at_a.change({"old", "new"}), "2 keys, 0 left over");
  EXPECT_EQ(at_b.change({"old", "new"}), "2 keys, 0 left over");
  EXPECT_EQ(at_a.change({"new", "old"}), "2 keys, 0 left over");
  EXPECT_EQ(at_b.change({"new", "old"}), "2 keys, 0 left over");
  EXPECT_EQ(at_a.change({"new"}), "1 keys, 1 left over");
  EXPECT_EQ(at_b.change({"new"}), "1 keys, 1 left over");
  expect_carried_both_ways(a, b, std::string(100'000, 'x'));
  EXPECT_EQ(dialled(b, a), "reached a");
  EXPECT_EQ(at_a.change({"newer", "new"}), "2 keys, 1 left over");
  link_node old{"old", with({"old"})};
  EXPECT_EQ(dialled(old, a), another_key);
  EXPECT_EQ(dialled(a, old), another_key);
}

} // namespace troupe::tests::node_link_keys_test

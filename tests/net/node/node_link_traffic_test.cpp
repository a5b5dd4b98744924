// The traffic on a link between nodes, and the end of links.

#include "tests/net/node/node_link_test.hpp"

#include <thread>

namespace troupe::tests::node_link_traffic_test {

using namespace net;
using namespace std::chrono_literals;

namespace {

node_link_options with_silence(std::chrono::milliseconds limit) {
  auto result = patient();
  result.silence = limit;
  return result;
}

std::string pattern(std::size_t size) {
  std::string result(size, '\0');
  for (std::size_t i = 0; i < size; ++i)
    result[i] = static_cast<char>(i * 31 + i / 1009);
  return result;
}

} // namespace

TEST_F(node_link_test, carries_bytes_between_nodes_of_the_same_key) {
  link_node a{"a", patient()}, b{"b", patient()};
  a.dial(b.address());
  EXPECT_EQ(a.seen.wait_for(1), lines{"reached b"});
  EXPECT_EQ(b.seen.wait_for(1), lines{"called by a"});
  a.local.say("to b");
  EXPECT_EQ(b.local.hear(4), "to b");
  b.local.say("to a");
  EXPECT_EQ(a.local.hear(4), "to a");
}

TEST_F(node_link_test, is_cut_without_a_word_where_that_is_asked_for) {
  link_node a{"a", patient()}, b{"b", patient()};
  std::optional<pending_link> held;
  a.decide = [&](pending_link one) {
    one.accept(a.local.taker(), [&] { a.seen.note("closed"); });
    held = std::move(one);
    a.seen.note("taken");
  };
  a.dial(b.address());
  a.seen.wait_for("taken");
  a.local.say("hello");
  EXPECT_EQ(b.local.hear(5), "hello");
  held->cut();
  EXPECT_EQ(b.local.hear(1), "");
  EXPECT_EQ(b.seen.wait_for("closed"), (lines{"called by a", "closed"}));
  EXPECT_EQ(a.local.hear(1), "");
  EXPECT_EQ(a.seen.all(), (lines{"reached b", "taken"}));
}

TEST_F(node_link_test, carries_what_follows_the_verdict_at_once) {
  link_node node{"node", patient()};
  caller peer{node.port()};
  peer.prove();
  EXPECT_EQ(peer.wire.read_until("\n"), "ok\n");
  peer.wire.send("ok\nfirst");
  EXPECT_EQ(node.local.hear(5), "first");
}

TEST_F(node_link_test, carries_what_came_with_the_verdict_in_further_records) {
  link_node node{"node", patient()};
  caller peer{node.port()};
  peer.prove();
  peer.wire.send("ok\n");
  auto text = pattern(12 * 1024);
  for (std::size_t at = 0; at < text.size(); at += 1024)
    peer.wire.send(text.substr(at, 1024));
  EXPECT_TRUE(node.local.hear(text.size()) == text);
}

TEST_F(node_link_test, reads_no_more_than_the_other_side_takes) {
  link_node a{"a", patient()}, b{"b", patient()};
  a.dial(b.address());
  EXPECT_EQ(b.seen.wait_for(1).size(), 1u);
  auto text = pattern(64 * 1024 * 1024);
  auto taken = a.local.say_what_is_taken(text);
  EXPECT_LT(taken, text.size());
  b.local.say("meanwhile");
  EXPECT_EQ(a.local.hear(9), "meanwhile");
  EXPECT_TRUE(b.local.hear(taken) == text.substr(0, taken));
}

TEST_F(node_link_test, closes_when_nothing_comes_from_the_other_side) {
  link_node node{"node", with_silence(100ms)};
  caller peer{node.port()};
  peer.prove();
  peer.wire.send("ok\nwords");
  EXPECT_EQ(node.local.hear(5), "words");
  EXPECT_EQ(node.local.hear(1), "");
  EXPECT_EQ(node.seen.wait_for("closed"), (lines{"called by caller", "closed"}));
}

TEST_F(node_link_test, stays_while_something_comes_or_nobody_takes_what_came) {
  const auto options = with_silence(4s);
  link_node spoken_to{"node", options}, full{"node", options};
  caller speaks{spoken_to.port()}, floods{full.port()};
  for (auto one : {&speaks, &floods}) {
    one->prove();
    one->wire.send("ok\n");
  }
  for (auto one : {&spoken_to, &full})
    EXPECT_EQ(one->seen.wait_for(1), lines{"called by caller"});
  const auto text = pattern(4 * 1024 * 1024);
  std::thread talker{[&] { floods.wire.send(text); }};
  for (auto eighths = 0; eighths < 9; ++eighths) {
    speaks.wire.send("x");
    EXPECT_EQ(spoken_to.local.hear(1), "x");
    EXPECT_EQ(full.seen.wait_for("closed", options.silence / 8), lines{"called by caller"});
  }
  EXPECT_EQ(spoken_to.seen.all(), lines{"called by caller"});
  EXPECT_TRUE(full.local.hear(text.size()) == text);
  talker.join();
  EXPECT_EQ(full.local.hear(1), "");
  EXPECT_EQ(full.seen.wait_for("closed").back(), "closed");
}

TEST_F(node_link_test, carries_much_both_ways_at_once) {
  link_node a{"a", patient()}, b{"b", patient()};
  a.dial(b.address());
  EXPECT_EQ(b.seen.wait_for(1).size(), 1u);
  auto text = pattern(10 * 1024 * 1024);
  expect_carried_both_ways(a, b, text);
}

TEST_F(node_link_test, carries_the_last_words_of_who_closes) {
  for (auto caller_closes : {true, false}) {
    link_node a{"a", patient()}, b{"b", patient()};
    a.dial(b.address());
    EXPECT_EQ(a.seen.wait_for(1), lines{"reached b"});
    auto& one = caller_closes ? a : b;
    auto& other = caller_closes ? b : a;
    other.local.say("unread");
    one.local.say(pattern(100'000));
    one.local.leave();
    EXPECT_TRUE(other.local.hear(200'000) == pattern(100'000));
    EXPECT_EQ(one.seen.wait_for("closed").back(), "closed");
    EXPECT_EQ(other.seen.wait_for("closed").back(), "closed");
  }
}

TEST_F(node_link_test, closes_when_the_other_node_vanishes) {
  link_node a{"a", patient()};
  link_node b{"b", patient()};
  a.dial(b.address());
  EXPECT_EQ(a.seen.wait_for(1), lines{"reached b"});
  EXPECT_EQ(b.seen.wait_for(1), lines{"called by a"});
  b.let_go();
  EXPECT_EQ(a.local.hear(1), "");
  EXPECT_EQ(a.seen.wait_for(2).back(), "closed");
  EXPECT_EQ(b.local.hear(1), "");
  b.stop();
  EXPECT_EQ(b.seen.all(), lines{"called by a"});
}

TEST_F(node_link_test, may_be_destroyed_at_any_moment) {
  for (auto i = 0; i < 40; ++i) {
    link_node a{"a", patient()}, b{"b", patient()};
    caller half{b.port()};
    half.wire.send(half.talk.begin(half.binding()));
    a.dial(b.address());
    if (i % 4 > 0)
      run_on(i % 4 > 1 ? a.thread() : b.thread(), [] {});
    if (i % 4 > 2)
      b.seen.wait_for(1);
    if (i % 2 == 0)
      run_on(a.thread(), [&] { a.let_go(); });
    a.stop();
  }
}

TEST_F(node_link_test, tells_nothing_once_it_is_destroyed_on_its_thread) {
  link_node a{"a", patient()}, b{"b", patient()};
  b.decide = [&](pending_link one) {
    b.accept(std::move(one));
    b.let_go();
    b.seen.note("gone");
  };
  a.dial(b.address());
  EXPECT_EQ(b.seen.wait_for("gone"), (lines{"called by a", "gone"}));
  b.stop();
  EXPECT_EQ(b.seen.all().size(), 2u);
  EXPECT_EQ(b.local.hear(1), "");
}

} // namespace troupe::tests::node_link_traffic_test

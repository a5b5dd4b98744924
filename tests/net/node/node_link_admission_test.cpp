// Which links between nodes are made, which callers are turned away, and what they hear.

#include "tests/net/node/node_link_test.hpp"

#include <atomic>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

using namespace troupe::net;
using namespace troupe::tests;
using namespace std::chrono_literals;

namespace {

node_link_options hasty() {
  node_link_options result;
  result.limit = 50ms;
  return result;
}

node_link_options with_key(std::string key) {
  auto result = patient();
  result.key = std::move(key);
  return result;
}

/// Somebody who calls, and has heard who is there.
class stranger : public tcp_client {
public:
  explicit stranger(std::uint16_t port) : tcp_client{port} {
    if (auto greeting = read_until("\n"); !greeting.empty())
      read(std::stoul(greeting.substr(greeting.rfind(' '))));
  }
};

const std::string crowded_out = "127.0.0.1 stranger: too many others came after it before it proved that it is a node";

} // namespace

TEST_F(node_link_test, is_not_offered_between_nodes_of_different_keys) {
  link_node a{"a", with_key("one key")}, b{"b", with_key("another key")};
  a.dial(b.address());
  EXPECT_EQ(a.seen.wait_for(1), lines{"failed: it has another cluster key"});
  EXPECT_EQ(b.seen.all(), lines{});
}

TEST_F(node_link_test, tells_a_stranger_why_and_closes) {
  link_node node{"node", patient()};
  tcp_client browser{node.port()};
  browser.send("GET / HTTP/1.1\r\n\r\n");
  auto heard = browser.read_to_end();
  EXPECT_TRUE(heard.starts_with("troupe-node 1 ")) << heard;
  EXPECT_TRUE(heard.ends_with(" 4\nnodeno it is no node\n")) << heard;
}

TEST_F(node_link_test, is_not_dialled_to_what_is_no_address_or_answers_nothing) {
  link_node a{"a", patient()};
  for (auto where : {"somewhere:80", "127.0.0.1", "127.0.0.1:0"}) {
    a.dial(where);
  }
  EXPECT_EQ(a.seen.wait_for(3), lines(3, "failed: it is no numeric address with a port"));
  std::string gone = link_node{"b"}.address();
  a.dial(gone);
  EXPECT_EQ(a.seen.wait_for(4).back(), "failed: Connection refused");
}

TEST_F(node_link_test, fails_when_the_other_side_is_silent_or_slow) {
  link_node undecided{"a", patient()}, hasty_one{"b", hasty()};
  tcp_client silent{hasty_one.port()}, slow{hasty_one.port()};
  slow.send("troupe-node 1 ");
  EXPECT_TRUE(silent.read_to_end().ends_with("\nb"));
  EXPECT_TRUE(slow.read_to_end().ends_with("\nb"));
  std::vector<node_offer> kept;
  undecided.decide = [&](node_offer one) { kept.push_back(std::move(one)); };
  hasty_one.dial(undecided.address());
  EXPECT_EQ(hasty_one.seen.wait_for(1), lines{"failed: it did not answer within 0.050 s, says a"});
  undecided.stop();
}

TEST_F(node_link_test, tells_that_a_link_closed_that_was_taken_too_late) {
  link_node a{"a", hasty()};
  std::promise<node_offer> offered;
  a.decide = [&](node_offer one) { offered.set_value(std::move(one)); };
  caller peer{a.port()};
  peer.prove();
  auto offer = offered.get_future().get();
  EXPECT_EQ(peer.wire.read_to_end(), "");
  a.take(std::move(offer));
  EXPECT_EQ(a.seen.wait_for("closed"), (lines{"called by caller", "closed"}));
  EXPECT_EQ(a.local.hear(1), "");
}

TEST_F(node_link_test, closes_the_oldest_of_too_many_that_are_unproven) {
  link_node node{"node", patient()};
  std::vector<std::unique_ptr<stranger>> strangers;
  for (auto i = 0; i < 64; ++i)
    strangers.push_back(std::make_unique<stranger>(node.port()));
  EXPECT_EQ(node.turned_away.all(), lines{});
  stranger one_more{node.port()};
  EXPECT_EQ(node.turned_away.wait_for(1), lines{crowded_out});
  EXPECT_TRUE(strangers[0]->sees_the_end());
  for (auto still : {strangers[1].get(), strangers[63].get(), &one_more}) {
    still->send("GET / HTTP/1.1\r\n\r\n");
    EXPECT_EQ(still->read_until("\n"), "no it is no node\n");
  }
}

TEST_F(node_link_test, closes_those_that_are_over_before_others_that_are_unproven) {
  auto options = patient();
  options.most_unproven = 3;
  link_node node{"node", options};
  stranger silent{node.port()}, talker{node.port()}, another{node.port()};
  talker.send("hello");
  EXPECT_EQ(node.turned_away.wait_for(1), lines{"127.0.0.1 stranger: it is no node"});
  EXPECT_EQ(talker.read_until("\n"), "no it is no node\n");
  stranger fourth{node.port()};
  stranger fifth{node.port()};
  EXPECT_EQ(node.turned_away.wait_for(2), (lines{"127.0.0.1 stranger: it is no node", crowded_out}));
  EXPECT_TRUE(silent.sees_the_end());
  EXPECT_EQ(node.turned_away.all().size(), 2u);
}

TEST_F(node_link_test, is_made_while_strangers_keep_coming_who_say_nothing) {
  auto options = patient();
  options.most_unproven = 8;
  link_node a{"a", patient()}, b{"b", options};
  std::atomic<bool> is_over = false;
  std::promise<void> crowded;
  std::thread flood{[&] {
    std::deque<std::unique_ptr<stranger>> strangers;
    for (std::size_t i = 0; !is_over; ++i) {
      strangers.push_back(std::make_unique<stranger>(b.port()));
      if (i == 2 * options.most_unproven)
        crowded.set_value();
      if (i >= 2 * options.most_unproven)
        strangers.pop_front();
    }
  }};
  crowded.get_future().get();
  EXPECT_TRUE(eventually([&, attempts = std::size_t{0}, is_linked = false]() mutable {
    if (!is_linked)
      a.dial(b.address());
    return is_linked = is_linked || a.seen.wait_for(++attempts).back() == "reached b";
  }));
  EXPECT_EQ(b.seen.all().back(), "called by a");
  a.local.say("to b");
  EXPECT_EQ(b.local.hear(4), "to b");
  is_over = true;
  flood.join();
}

TEST_F(node_link_test, tells_of_callers_whom_it_turns_away_and_whether_they_may_be_nodes) {
  link_node node{"node", patient()};
  auto why = [&, count = std::size_t{0}](const std::string& text) mutable {
    stranger one{node.port()};
    one.send(text);
    one.finish_sending();
    return node.turned_away.wait_for(++count).back();
  };
  EXPECT_EQ(why(""), "127.0.0.1 stranger: it closed the connection without a word: it may want TLS");
  EXPECT_EQ(why("troupe-nod"), "127.0.0.1 stranger: it closed the connection");
  EXPECT_EQ(why("troupe-node"), "127.0.0.1 stranger: it closed the connection");
  EXPECT_EQ(why("troupe-node "), "127.0.0.1 it closed the connection");
  EXPECT_EQ(why("GET / HTTP/1.1\r\n\r\n"), "127.0.0.1 stranger: it is no node");
  EXPECT_EQ(why("troupe-node 2 "), "127.0.0.1 it speaks another version");
  EXPECT_EQ(why("\x16\x03\x01"), "127.0.0.1 it speaks TLS");
  caller foreign{node.port(), "another key"};
  foreign.prove();
  EXPECT_EQ(node.turned_away.wait_for(8).back(), "127.0.0.1 it has another cluster key");
  EXPECT_EQ(node.seen.all(), lines{});
}

TEST_F(node_link_test, tells_of_callers_who_say_nothing_in_time) {
  link_node node{"node", hasty()};
  stranger silent{node.port()};
  EXPECT_EQ(node.turned_away.wait_for(1), lines{"127.0.0.1 stranger: it did not answer within 0.050 s"});
}

TEST_F(node_link_test, does_not_count_those_that_are_proven) {
  auto options = patient();
  options.most_unproven = 1;
  link_node node{"node", options};
  std::vector<node_offer> kept;
  node.decide = [&](node_offer one) { kept.push_back(std::move(one)); };
  caller first{node.port()};
  first.prove();
  EXPECT_EQ(node.seen.wait_for(1), lines{"called by caller"});
  caller second{node.port()};
  second.prove();
  EXPECT_EQ(node.seen.wait_for(2).size(), 2u);
  run_on(node.thread(), [&] { kept.clear(); });
}

TEST_F(node_link_test, fails_with_the_reason_of_the_one_who_refuses) {
  link_node a{"a", patient()}, b{"b", patient()};
  b.decide = [](node_offer one) { one.refuse("two lines\nof " + std::string(300, 'x')); };
  a.dial(b.address());
  EXPECT_EQ(a.seen.wait_for(1), lines{"failed: two linesof " + std::string(187, 'x') + ", says b"});
  b.decide = [](auto&&) {};
  a.dial(b.address());
  EXPECT_EQ(a.seen.wait_for(2).back(), "failed: nobody took the link, says b");
}

TEST_F(node_link_test, closes_for_the_one_who_took_it_when_the_caller_refuses) {
  link_node a{"a", patient()}, b{"b", patient()};
  a.decide = [](node_offer one) { one.refuse("after all"); };
  a.dial(b.address());
  EXPECT_EQ(b.seen.wait_for(2), (lines{"called by a", "closed"}));
  EXPECT_EQ(b.local.hear(1), "");
}

TEST_F(node_link_test, offers_nothing_any_more_once_it_is_gone) {
  link_node node{"node", patient()};
  std::promise<node_offer> offered;
  node.decide = [&](node_offer one) { offered.set_value(std::move(one)); };
  caller peer{node.port()};
  peer.prove();
  auto offer = offered.get_future().get();
  node.stop();
  node.take(std::move(offer));
  EXPECT_EQ(node.local.hear(1), "");
  EXPECT_EQ(peer.wire.read_to_end(), "");
}

TEST_F(node_link_test, says_that_its_port_is_taken) {
  link_node first{"first"};
  auto options = patient();
  options.port = first.port();
  try {
    link_node second{"second", options};
    ADD_FAILURE() << "it is listening";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(),
              "cannot listen on 127.0.0.1 port " + std::to_string(options.port) + ": Address already in use");
  }
}

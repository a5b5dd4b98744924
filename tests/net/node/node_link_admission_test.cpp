// Links between nodes: which are established, which callers are refused, and the reasons that they receive.

#include "tests/net/node/node_link_test.hpp"

#include <atomic>
#include <deque>
#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace troupe::tests::node_link_admission_test {

using namespace net;
using namespace std::chrono_literals;

namespace {

node_link_options hasty(std::chrono::milliseconds limit = 1s) {
  node_link_options result;
  result.limit = limit;
  return result;
}

node_link_options with_key(std::string key) {
  auto result = patient();
  result.keys = {std::move(key)};
  return result;
}

/// Loopback addresses, 127.0.0.N.
constexpr std::uint32_t local(std::uint32_t n) { return INADDR_LOOPBACK - 1 + n; }

/// An unauthenticated caller from such an address that sends nothing yet.
class unauthenticated_peer : public tcp_client {
public:
  explicit unauthenticated_peer(std::uint16_t port, std::uint32_t from = INADDR_LOOPBACK) : tcp_client{port, 0, from} {}
};

/// Nodes accept callers in order, so all earlier callers have been accepted then.
void wait_for_earlier(const link_node& node) {
  caller known{node.port(), cluster_key, local(200)};
  known.prove();
  EXPECT_TRUE(known.talk.is_authenticated());
}

/// The only link offered to a node, which it neither accepts nor refuses.
class coming_offer {
public:
  explicit coming_offer(link_node& to) {
    to.decide = [this](pending_link one) { offered_.set_value(std::move(one)); };
  }
  /// Whether the offer arrives in time.
  bool comes() const { return coming_.wait_for(patience) == std::future_status::ready; }
  pending_link get() { return coming_.get(); }

private:
  std::promise<pending_link> offered_;
  std::future<pending_link> coming_ = offered_.get_future();
};

const std::string no_tls = "it speaks no TLS: it is no node, or one of an older version of Troupe";
const std::string crowded_out = "127.0.0.1 stranger: too many others came after it before it proved that it is a node";

} // namespace

TEST_F(node_link_test, is_not_offered_between_nodes_of_different_keys) {
  link_node a{"a", with_key("one key")}, b{"b", with_key("another key")};
  a.dial(b.address());
  EXPECT_EQ(a.seen.wait_for(1), lines{"failed: it has another cluster key"});
  EXPECT_EQ(b.refused_peer_log.wait_for(1), lines{"127.0.0.1 it has another cluster key"});
  EXPECT_EQ(b.seen.all(), lines{});
}

TEST_F(node_link_test, tells_strangers_nothing) {
  link_node node{"node", patient()};
  tcp_client browser{node.port()};
  browser.send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(browser.read_to_end(), "");
  tcp_client old{node.port()};
  old.send("troupe-node 1 ");
  EXPECT_EQ(old.read_to_end(), "");
  boost::asio::ssl::context none{boost::asio::ssl::context::tls_client};
  EXPECT_FALSE((tls_wire{node.port(), none}.is_secure()));
  EXPECT_FALSE((caller{node.port(), "another key"}.wire.is_secure()));
}

TEST_F(node_link_test, is_not_offered_to_who_has_the_key_of_tls_but_not_that_of_the_proof) {
  link_node node{"node", patient()};
  caller foreign{node.port()};
  foreign.wire.send(node_link_handshake{true, {"another key"}, "x"}.begin(foreign.binding()));
  EXPECT_EQ(foreign.wire.read_to_end(), "no it has another cluster key\n");
  EXPECT_EQ(node.refused_peer_log.wait_for(1), lines{"127.0.0.1 it has another cluster key"});
}

TEST_F(node_link_test, is_not_offered_to_who_passes_on_what_a_node_has_said_to_it) {
  link_node node{"node", patient()};
  caller first{node.port()}, second{node.port()};
  second.wire.send(node_link_handshake{true, {cluster_key}, "x"}.begin(first.binding()));
  EXPECT_EQ(second.wire.read_to_end(), "no it has another cluster key\n");
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
  tcp_client silent{hasty_one.port()};
  caller slow{hasty_one.port()};
  slow.wire.send("troupe-node 2 ");
  EXPECT_EQ(silent.read_to_end(), "");
  EXPECT_EQ(slow.wire.read_to_end(), "");
  std::vector<pending_link> kept;
  undecided.decide = [&](pending_link one) { kept.push_back(std::move(one)); };
  auto outcome = [&, count = std::size_t{0}]() mutable {
    hasty_one.dial(undecided.address());
    return hasty_one.seen.wait_for(++count).back();
  };
  // On a busy machine the time limit may expire before the silent side is identified.
  EXPECT_TRUE(eventually([&] { return outcome() == "failed: it did not answer within 1 s, says a"; }));
  undecided.stop();
}

TEST_F(node_link_test, tells_that_a_link_closed_that_was_taken_too_late) {
  link_node a{"a", hasty(4s)}; // enough time for a handshake on a busy machine
  coming_offer offered{a};
  caller peer{a.port()};
  peer.prove();
  ASSERT_TRUE(offered.comes());
  auto offer = offered.get();
  EXPECT_EQ(peer.wire.read_to_end(), "");
  a.accept(std::move(offer));
  EXPECT_EQ(a.seen.wait_for("closed"), (lines{"called by caller", "closed"}));
  EXPECT_EQ(a.local.hear(1), "");
}

TEST_F(node_link_test, closes_the_oldest_of_too_many_of_one_address_that_are_unproven) {
  link_node node{"node", patient()};
  std::vector<std::unique_ptr<unauthenticated_peer>> strangers;
  for (auto i = 0; i < 32; ++i)
    strangers.push_back(std::make_unique<unauthenticated_peer>(node.port()));
  wait_for_earlier(node);
  EXPECT_EQ(node.refused_peer_log.all(), lines{});
  unauthenticated_peer one_more{node.port()};
  EXPECT_EQ(node.refused_peer_log.wait_for(1), lines{crowded_out});
  EXPECT_TRUE(strangers[0]->sees_the_end());
  std::size_t count = 1;
  for (auto still : {strangers[1].get(), strangers[31].get(), &one_more}) {
    still->send("GET / HTTP/1.1\r\n\r\n");
    EXPECT_EQ(node.refused_peer_log.wait_for(++count).back(), "127.0.0.1 stranger: " + no_tls);
  }
}

TEST_F(node_link_test, closes_one_of_the_address_with_most_when_there_are_too_many_that_are_unproven) {
  auto options = patient();
  options.max_unauthenticated = 4;
  link_node node{"node", options};
  unauthenticated_peer few{node.port(), local(2)}, first{node.port(), local(3)}, second{node.port(), local(3)},
      other{node.port(), local(4)};
  unauthenticated_peer newcomer{node.port(), local(5)};
  EXPECT_EQ(node.refused_peer_log.wait_for(1),
            lines{"127.0.0.3 stranger: too many others came after it before it proved that it is a node"});
  EXPECT_TRUE(first.sees_the_end());
}

TEST_F(node_link_test, closes_those_that_are_over_before_others_that_are_unproven) {
  auto options = patient();
  options.max_unauthenticated = 3;
  link_node node{"node", options};
  unauthenticated_peer silent{node.port()}, talker{node.port()}, another{node.port()};
  talker.send("hello");
  EXPECT_EQ(node.refused_peer_log.wait_for(1), lines{"127.0.0.1 " + no_tls});
  unauthenticated_peer fourth{node.port()};
  unauthenticated_peer fifth{node.port()};
  EXPECT_EQ(node.refused_peer_log.wait_for(2), (lines{"127.0.0.1 " + no_tls, crowded_out}));
  EXPECT_TRUE(silent.sees_the_end());
  EXPECT_EQ(node.refused_peer_log.all().size(), 2u);
}

TEST_F(node_link_test, is_made_at_once_while_strangers_of_other_addresses_keep_coming) {
  auto options = patient();
  options.max_unauthenticated = 8;
  link_node a{"a", patient()}, b{"b", options};
  std::atomic<bool> is_over = false;
  std::promise<void> crowded;
  std::thread flood{[&] {
    std::deque<std::unique_ptr<unauthenticated_peer>> strangers;
    for (std::size_t i = 0; !is_over; ++i) {
      strangers.push_back(std::make_unique<unauthenticated_peer>(b.port(), local(2 + i % 2)));
      if (i == 2 * options.max_unauthenticated)
        crowded.set_value();
      if (i >= 2 * options.max_unauthenticated)
        strangers.pop_front();
    }
  }};
  crowded.get_future().get();
  a.dial(b.address());
  EXPECT_EQ(a.seen.wait_for(1), lines{"reached b"});
  EXPECT_EQ(b.seen.wait_for(1), lines{"called by a"});
  a.local.say("to b");
  EXPECT_EQ(b.local.hear(4), "to b");
  is_over = true;
  flood.join();
}

TEST_F(node_link_test, tells_of_callers_whom_it_turns_away_and_whether_they_may_be_nodes) {
  link_node node{"node", patient()};
  auto why = [&, count = std::size_t{0}](const std::string& text) mutable {
    unauthenticated_peer one{node.port()};
    one.send(text);
    one.finish_sending();
    return node.refused_peer_log.wait_for(++count).back();
  };
  EXPECT_TRUE(why("").starts_with("127.0.0.1 stranger: cannot speak TLS with it: "));
  EXPECT_EQ(why("GET / HTTP/1.1\r\n\r\n"), "127.0.0.1 stranger: " + no_tls);
  EXPECT_EQ(why("troupe-node 1 "), "127.0.0.1 " + no_tls);
  caller{node.port(), "another key"};
  EXPECT_EQ(node.refused_peer_log.wait_for(4).back(), "127.0.0.1 it has another cluster key");
  caller older{node.port()};
  older.wire.send("troupe-node 1 ");
  EXPECT_EQ(node.refused_peer_log.wait_for(5).back(), "127.0.0.1 it speaks another version");
  EXPECT_EQ(older.wire.read_to_end(), "troupe-node 2 \nno it speaks another version\n");
  caller strange{node.port()};
  strange.wire.send("hello");
  EXPECT_EQ(node.refused_peer_log.wait_for(6).back(), "127.0.0.1 it is no node");
  EXPECT_EQ(node.seen.all(), lines{});
}

TEST_F(node_link_test, tells_of_callers_who_say_nothing_in_time) {
  link_node node{"node", hasty()};
  unauthenticated_peer silent{node.port()};
  EXPECT_EQ(node.refused_peer_log.wait_for(1), lines{"127.0.0.1 stranger: it did not answer within 1 s"});
}

TEST_F(node_link_test, does_not_count_those_that_are_proven) {
  auto options = patient();
  options.max_unauthenticated = 1;
  link_node node{"node", options};
  std::vector<pending_link> kept;
  node.decide = [&](pending_link one) { kept.push_back(std::move(one)); };
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
  b.decide = [](pending_link one) { one.refuse("two lines\nof " + std::string(300, 'x')); };
  a.dial(b.address());
  EXPECT_EQ(a.seen.wait_for(1), lines{"failed: two linesof " + std::string(187, 'x') + ", says b"});
  b.decide = [](auto&&) {};
  a.dial(b.address());
  EXPECT_EQ(a.seen.wait_for(2).back(), "failed: nobody took the link, says b");
}

TEST_F(node_link_test, closes_for_the_one_who_took_it_when_the_caller_refuses) {
  link_node a{"a", patient()}, b{"b", patient()};
  a.decide = [](pending_link one) { one.refuse("after all"); };
  a.dial(b.address());
  EXPECT_EQ(b.seen.wait_for(2), (lines{"called by a", "closed"}));
  EXPECT_EQ(b.local.hear(1), "");
}

TEST_F(node_link_test, offers_nothing_any_more_once_it_is_gone) {
  link_node node{"node", patient()};
  coming_offer offered{node};
  caller peer{node.port()};
  peer.prove();
  ASSERT_TRUE(offered.comes());
  auto offer = offered.get();
  node.stop();
  node.accept(std::move(offer));
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

} // namespace troupe::tests::node_link_admission_test

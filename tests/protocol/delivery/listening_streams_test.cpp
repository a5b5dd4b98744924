#include "protocol/delivery/http_delivery.hpp"
#include "tests/support/stream_journal.hpp"

namespace troupe::tests::listening_streams_test {

namespace {

message of(std::string text) { return std::get<message>(read_message(std::move(text))); }

std::string note(std::string n) { return R"({"jsonrpc":"2.0","method":"n","params":{"n":)" + n + "}}"; }
std::string ask(std::string id) { return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"roots/list"})"; }

const std::string a = note("1"), b = note("2"), c = note("3");

/// The listening streams of a journal.
struct journaled : stream_journal {
  explicit journaled(std::size_t shadows = 8, std::size_t waiting = 64) : listening{all, shadows, {waiting, 10000}} {}

  void opens(exchange_id stream) {
    listens(stream);
    listening.joined(stream, now, out);
  }
  void loses(exchange_id stream) {
    leaves(stream);
    listening.left(stream, out);
  }
  bool says_now(std::string text) { return listening.send(of(std::move(text)), out); }
  effects seen() { return without_positions(stream_journal::seen()); }

  listening_streams listening;
};

} // namespace

TEST(listening_streams, speak_on_their_only_stream) {
  journaled t;
  EXPECT_TRUE(t.listening.empty());
  EXPECT_EQ(t.listening.primary(), std::nullopt);
  t.opens(5);
  EXPECT_TRUE(t.says_now(a));
  EXPECT_EQ(t.seen(), (effects{open_stream{5}, says(5, a)}));
  EXPECT_EQ(t.listening.primary(), 5u);
  EXPECT_FALSE(t.listening.empty());
  EXPECT_EQ(t.listening.shadows(), 0u);
}

// 2025-11-25, transports, "Multiple Connections" 2
TEST(listening_streams, speak_on_the_primary_and_never_on_a_shadow) {
  journaled t;
  t.opens(1);
  t.opens(2);
  t.says_now(a);
  t.opens(3);
  t.says_now(ask("7"));
  EXPECT_EQ(t.seen(), (effects{open_stream{1}, open_stream{2}, says(1, a), open_stream{3}, says(1, ask("7"))}));
  EXPECT_EQ(t.listening.shadows(), 2u);
}

// 2025-11-25, transports, "Multiple Connections" 1
TEST(listening_streams, promote_the_oldest_shadow_when_the_primary_goes) {
  journaled t;
  t.opens(1);
  t.opens(2);
  t.opens(3);
  t.seen();
  t.loses(1);
  t.says_now(a);
  t.loses(2);
  t.says_now(b);
  EXPECT_EQ(t.seen(), (effects{says(2, a), says(3, b)}));
}

TEST(listening_streams, keep_their_primary_when_a_shadow_goes) {
  journaled t;
  t.opens(1);
  t.opens(2);
  t.seen();
  t.loses(2);
  t.says_now(a);
  EXPECT_EQ(t.seen(), (effects{says(1, a)}));
}

TEST(listening_streams, are_not_disturbed_by_the_loss_of_a_stream_that_is_not_their_own) {
  journaled t;
  t.opens(1);
  t.loses(2);
  t.loses(0);
  t.says_now(a);
  EXPECT_EQ(t.seen(), (effects{open_stream{1}, says(1, a)}));
}

TEST(listening_streams, take_a_stream_that_comes_back_as_their_youngest_shadow) {
  journaled t;
  t.opens(1);
  t.opens(2);
  t.loses(1);
  t.seen();
  t.resumes(3, {1, 0});
  t.listening.joined(1, t.now, t.out);
  t.says_now(a);
  EXPECT_EQ(t.seen(), (effects{open_stream{3}, says(2, a)}));
  t.loses(2);
  t.says_now(b);
  EXPECT_EQ(t.seen(), (effects{says(3, b)}));
}

TEST(listening_streams, keep_the_place_of_a_stream_that_is_taken_over) {
  journaled t;
  t.opens(1);
  t.opens(2);
  t.resumes(3, {1, 0});
  t.listening.joined(1, t.now, t.out);
  t.seen();
  t.says_now(a);
  EXPECT_EQ(t.seen(), (effects{says(3, a)}));
  EXPECT_EQ(t.listening.shadows(), 1u);
}

TEST(listening_streams, end_the_oldest_shadow_when_there_are_more_than_8) {
  journaled t;
  effects opened;
  for (exchange_id stream = 1; stream <= 9; ++stream) {
    t.opens(stream);
    opened.push_back(open_stream{stream});
  }
  EXPECT_EQ(t.seen(), opened);
  EXPECT_EQ(t.listening.shadows(), 8u);
  t.opens(10);
  EXPECT_EQ(t.seen(), (effects{open_stream{10}, end_stream{2}}));
  t.opens(11);
  EXPECT_EQ(t.seen(), (effects{open_stream{11}, end_stream{3}}));
  EXPECT_EQ(t.listening.shadows(), 8u);
  t.loses(1);
  t.says_now(a);
  EXPECT_EQ(t.seen(), (effects{says(4, a)}));
}

TEST(listening_streams, without_shadows_end_every_further_stream_at_once) {
  journaled t{0};
  t.opens(1);
  t.opens(2);
  t.says_now(a);
  EXPECT_EQ(t.seen(), (effects{open_stream{1}, open_stream{2}, end_stream{2}, says(1, a)}));
}

TEST(listening_streams, hand_what_waited_to_the_first_stream_in_order_and_once) {
  journaled t;
  EXPECT_TRUE(t.says_now(a));
  EXPECT_TRUE(t.says_now(ask("7")));
  EXPECT_TRUE(t.says_now(c));
  EXPECT_EQ(t.seen(), effects{});
  EXPECT_EQ(t.listening.waiting().size(), 3u);
  t.opens(1);
  EXPECT_EQ(t.seen(), (effects{open_stream{1}, says(1, a), says(1, ask("7")), says(1, c)}));
  EXPECT_EQ(t.listening.waiting().size(), 0u);
  t.opens(2);
  t.loses(1);
  t.loses(2);
  t.opens(3);
  EXPECT_EQ(t.seen(), (effects{open_stream{2}, open_stream{3}}));
}

TEST(listening_streams, wait_again_when_the_last_stream_goes) {
  journaled t;
  t.opens(1);
  t.loses(1);
  t.says_now(a);
  t.opens(2);
  EXPECT_EQ(t.seen(), (effects{open_stream{1}, open_stream{2}, says(2, a)}));
}

TEST(listening_streams, refuse_a_question_when_nothing_that_waits_may_be_lost) {
  journaled t{8, 2};
  EXPECT_TRUE(t.says_now(ask("1")));
  EXPECT_TRUE(t.says_now(ask("2")));
  EXPECT_FALSE(t.says_now(ask("3")));
  EXPECT_TRUE(t.says_now(a));
  EXPECT_EQ(t.listening.waiting().dropped(), 1u);
  t.opens(1);
  EXPECT_EQ(t.seen(), (effects{open_stream{1}, says(1, ask("1")), says(1, ask("2"))}));
  EXPECT_TRUE(t.says_now(ask("4")));
}

TEST(listening_streams, end_every_stream) {
  journaled t;
  t.opens(1);
  t.opens(2);
  t.seen();
  t.listening.end(t.now, t.out);
  EXPECT_EQ(t.seen(), (effects{end_stream{1}, end_stream{2}}));
  EXPECT_TRUE(t.listening.empty());
}

} // namespace troupe::tests::listening_streams_test

#include "protocol/channel.hpp"
#include "tests/support/protocol_effects.hpp"

#include <gtest/gtest.h>

#include <string>

using namespace troupe::protocol;

namespace {

/// A channel and the journal of all that came out of it since it was last read.
struct journaled {
  journaled(std::size_t shadows, std::size_t waiting) : line{shadows, waiting} {}

  void opens(exchange_id stream) { line.opened(stream, out); }
  void loses(exchange_id stream) { line.closed(stream, out); }
  bool sends(std::string text, bool may_be_lost = true) { return line.send(std::move(text), may_be_lost, out); }
  effects seen() { return std::exchange(out, {}); }

  channel line;
  effects out;
};

} // namespace

TEST(channel, speaks_on_its_only_stream) {
  journaled c{8, 64};
  EXPECT_TRUE(c.line.empty());
  EXPECT_EQ(c.line.primary(), std::nullopt);
  c.opens(5);
  EXPECT_TRUE(c.sends("hi"));
  EXPECT_EQ(c.seen(), (effects{open_stream{5}, publish{5, "hi"}}));
  EXPECT_EQ(c.line.primary(), 5u);
  EXPECT_FALSE(c.line.empty());
}

TEST(channel, G_05_speaks_on_the_primary_and_never_on_a_shadow) {
  journaled c{8, 64};
  c.opens(1);
  c.opens(2);
  c.sends("a");
  c.opens(3);
  c.sends("b", false);
  EXPECT_EQ(c.seen(), (effects{open_stream{1}, open_stream{2}, publish{1, "a"}, open_stream{3}, publish{1, "b"}}));
}

TEST(channel, G_06_promotes_the_oldest_shadow_when_the_primary_goes) {
  journaled c{8, 64};
  c.opens(1);
  c.opens(2);
  c.opens(3);
  c.seen();
  c.loses(1);
  c.sends("a");
  c.loses(2);
  c.sends("b");
  EXPECT_EQ(c.seen(), (effects{publish{2, "a"}, publish{3, "b"}}));
}

TEST(channel, keeps_its_primary_when_a_shadow_goes) {
  journaled c{8, 64};
  c.opens(1);
  c.opens(2);
  c.seen();
  c.loses(2);
  c.sends("a");
  EXPECT_EQ(c.seen(), (effects{publish{1, "a"}}));
}

TEST(channel, E_18_is_not_disturbed_by_the_loss_of_a_stream_that_is_not_its_own) {
  journaled c{8, 64};
  c.opens(1);
  c.loses(2);
  c.loses(0);
  c.sends("a");
  EXPECT_EQ(c.seen(), (effects{open_stream{1}, publish{1, "a"}}));
}

TEST(channel, ends_the_oldest_shadow_when_there_are_more_than_8) {
  journaled c{8, 64};
  effects opened;
  for (exchange_id stream = 1; stream <= 9; ++stream) {
    c.opens(stream);
    opened.push_back(open_stream{stream});
  }
  EXPECT_EQ(c.seen(), opened);
  c.opens(10);
  EXPECT_EQ(c.seen(), (effects{open_stream{10}, end_stream{2}}));
  c.opens(11);
  EXPECT_EQ(c.seen(), (effects{open_stream{11}, end_stream{3}}));
  c.loses(2);
  c.loses(1);
  c.sends("a");
  EXPECT_EQ(c.seen(), (effects{publish{4, "a"}}));
}

TEST(channel, without_shadows_ends_every_further_stream_at_once) {
  journaled c{0, 64};
  c.opens(1);
  c.opens(2);
  c.sends("a");
  EXPECT_EQ(c.seen(), (effects{open_stream{1}, open_stream{2}, end_stream{2}, publish{1, "a"}}));
}

TEST(channel, hands_what_waited_to_the_first_stream_in_order_and_once) {
  journaled c{8, 64};
  EXPECT_TRUE(c.sends("a"));
  EXPECT_TRUE(c.sends("b", false));
  EXPECT_TRUE(c.sends("c"));
  EXPECT_EQ(c.seen(), effects{});
  c.opens(1);
  EXPECT_EQ(c.seen(), (effects{open_stream{1}, publish{1, "a"}, publish{1, "b"}, publish{1, "c"}}));
  c.opens(2);
  c.loses(1);
  c.loses(2);
  c.opens(3);
  EXPECT_EQ(c.seen(), (effects{open_stream{2}, open_stream{3}}));
}

TEST(channel, waits_again_when_the_last_stream_goes) {
  journaled c{8, 64};
  c.opens(1);
  c.loses(1);
  c.sends("a");
  c.opens(2);
  EXPECT_EQ(c.seen(), (effects{open_stream{1}, open_stream{2}, publish{2, "a"}}));
}

TEST(channel, loses_the_oldest_that_may_be_lost_when_too_much_waits) {
  for (std::size_t sent : {2u, 3u, 4u, 5u}) {
    journaled c{8, 3};
    for (std::size_t i = 1; i <= sent; ++i)
      EXPECT_TRUE(c.sends(std::to_string(i), i != 1));
    c.opens(1);
    effects expected{open_stream{1}, publish{1, "1"}};
    for (std::size_t i = sent > 3 ? sent - 1 : 2; i <= sent; ++i)
      expected.push_back(publish{1, std::to_string(i)});
    EXPECT_EQ(c.seen(), expected) << sent;
  }
}

TEST(channel, refuses_a_message_when_nothing_that_waits_may_be_lost) {
  journaled c{8, 2};
  EXPECT_TRUE(c.sends("a", false));
  EXPECT_TRUE(c.sends("b", false));
  EXPECT_FALSE(c.sends("c", false));
  EXPECT_FALSE(c.sends("d", true));
  c.opens(1);
  EXPECT_EQ(c.seen(), (effects{open_stream{1}, publish{1, "a"}, publish{1, "b"}}));
  EXPECT_TRUE(c.sends("e", false));
}

TEST(channel, in_which_nothing_may_wait_refuses_without_a_stream) {
  journaled c{8, 0};
  EXPECT_FALSE(c.sends("a"));
  c.opens(1);
  EXPECT_TRUE(c.sends("b"));
  EXPECT_EQ(c.seen(), (effects{open_stream{1}, publish{1, "b"}}));
}

TEST(channel, ends_every_stream) {
  journaled c{8, 64};
  c.opens(1);
  c.opens(2);
  c.seen();
  c.line.end(c.out);
  EXPECT_EQ(c.seen(), (effects{end_stream{1}, end_stream{2}}));
  EXPECT_TRUE(c.line.empty());
}

#include "protocol/post.hpp"
#include "tests/support/protocol_effects.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

using namespace troupe::protocol;
using namespace std::chrono_literals;

namespace {

constexpr time_point start{1h};

/// A post as number 3 with a patience of 15 s, and the journal of all that came out of it since it was last read.
struct journaled {
  journaled(bool batch, std::size_t requests) : one{3, batch, requests, start + 15s} {}

  effects seen() { return std::exchange(out, {}); }
  journaled& answer(std::string text) { return one.answer(std::move(text), out), *this; }
  journaled& skip(std::string text) { return one.skip(std::move(text), out), *this; }
  journaled& precede(std::string text) { return one.precede(std::move(text), out), *this; }
  journaled& tick(time_point now) { return one.tick(now, out), *this; }

  post one;
  effects out;
};

const rejection session_over{500, -32603, "Session ended before the request completed"};

} // namespace

TEST(post, is_answered_with_JSON_when_nothing_precedes_the_answer) {
  journaled p{false, 1};
  EXPECT_FALSE(p.one.done());
  EXPECT_EQ(p.answer("a").seen(), (effects{reply{3, "a"}}));
  EXPECT_TRUE(p.one.done());
}

TEST(post, becomes_a_stream_when_something_precedes_the_answer) {
  journaled p{false, 1};
  EXPECT_FALSE(p.one.is_stream());
  EXPECT_EQ(p.precede("x").seen(), (effects{open_stream{3}, publish{3, "x"}}));
  EXPECT_TRUE(p.one.is_stream());
  EXPECT_EQ(p.precede("y").seen(), (effects{publish{3, "y"}}));
  EXPECT_EQ(p.answer("a").seen(), (effects{publish{3, "a"}, end_stream{3}}));
}

TEST(post, becomes_a_stream_when_patience_ends) {
  journaled p{false, 1};
  EXPECT_EQ(p.one.deadline(), start + 15s);
  EXPECT_EQ(p.tick(start + 15s - 1ns).seen(), effects{});
  EXPECT_EQ(p.tick(start + 15s).seen(), (effects{open_stream{3}}));
  EXPECT_EQ(p.one.deadline(), time_point::max());
  EXPECT_EQ(p.tick(start + 16s).seen(), effects{});
  EXPECT_EQ(p.answer("a").seen(), (effects{publish{3, "a"}, end_stream{3}}));
}

TEST(post, B_05_answers_a_batch_with_one_array_when_all_is_answered) {
  journaled p{true, 3};
  EXPECT_EQ(p.answer("a").answer("b").seen(), effects{});
  EXPECT_FALSE(p.one.done());
  EXPECT_EQ(p.answer("c").seen(), (effects{reply{3, "[a,b,c]"}}));
}

TEST(post, B_05_answers_a_batch_of_one_with_an_array) {
  EXPECT_EQ((journaled{true, 1}.answer("a").seen()), (effects{reply{3, "[a]"}}));
}

TEST(post, B_05_publishes_what_was_answered_when_a_batch_becomes_a_stream) {
  journaled p{true, 3};
  p.answer("a").answer("b");
  EXPECT_EQ(p.precede("x").seen(), (effects{open_stream{3}, publish{3, "a"}, publish{3, "b"}, publish{3, "x"}}));
  EXPECT_EQ(p.answer("c").seen(), (effects{publish{3, "c"}, end_stream{3}}));
}

TEST(post, P_30_that_is_cancelled_is_told_so_in_JSON) {
  EXPECT_EQ((journaled{false, 1}.skip("cancelled").seen()), (effects{reply{3, "cancelled"}}));
  EXPECT_EQ((journaled{true, 2}.skip("cancelled").answer("b").seen()), (effects{reply{3, "[cancelled,b]"}}));
}

TEST(post, P_30_that_is_cancelled_just_ends_its_stream) {
  journaled p{true, 2};
  p.precede("x").seen();
  EXPECT_EQ(p.skip("cancelled").seen(), effects{});
  EXPECT_EQ(p.skip("cancelled").seen(), (effects{end_stream{3}}));
}

TEST(post, P_31_is_refused_when_the_session_ends_before_the_answer) {
  journaled p{false, 1};
  p.one.abandon(p.out);
  EXPECT_EQ(p.seen(), (effects{reject{3, session_over}}));
}

TEST(post, P_31_ends_its_stream_when_the_session_ends) {
  journaled p{false, 1};
  p.precede("x").seen();
  p.one.abandon(p.out);
  EXPECT_EQ(p.seen(), (effects{end_stream{3}}));
}

TEST(post, whose_client_is_gone_says_nothing_more) {
  for (auto was_stream : {false, true}) {
    journaled p{true, 2};
    if (was_stream)
      p.precede("x").seen();
    p.one.lost();
    EXPECT_FALSE(p.one.reachable());
    EXPECT_EQ(p.one.deadline(), time_point::max());
    EXPECT_EQ(p.tick(start + 1h).answer("a").skip("b").seen(), effects{});
    EXPECT_TRUE(p.one.done());
    p.one.abandon(p.out);
    EXPECT_EQ(p.seen(), effects{});
  }
}

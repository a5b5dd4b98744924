#include "protocol/delivery/http_delivery.hpp"
#include "tests/support/stream_journal.hpp"

namespace troupe::tests::post_test {

namespace {

constexpr time_point start{1h};

/// POST number 3, which becomes a stream after 15 s, and a journal of its effects since the last read.
struct journaled : stream_journal {
  journaled(bool batch, std::size_t requests) : one{3, batch, std::vector<std::string>(requests, "1"), start + 15s} {}

  journaled& answer(std::string text) { return one.answer(std::move(text), all, now, out), *this; }
  journaled& skip() { return one.skip("1", all, now, out), *this; }
  journaled& precede(std::string text) { return one.precede(std::move(text), false, all, now, out), *this; }
  journaled& tick(time_point at) { return one.tick(at, all, out), *this; }
  void abandon() { one.abandon(all, now, out); }
  effects seen() { return without_positions(stream_journal::seen()); }

  post one;
};

const rejection session_over{500, -32603, "Session ended before the request completed"};

} // namespace

TEST(post, is_answered_with_JSON_when_nothing_precedes_the_answer) {
  journaled p{false, 1};
  EXPECT_FALSE(p.one.done());
  EXPECT_TRUE(p.one.reachable(p.all));
  EXPECT_EQ(p.answer("a").seen(), (effects{reply{3, "a"}}));
  EXPECT_TRUE(p.one.done());
  EXPECT_EQ(p.all.size(), 0u);
}

TEST(post, becomes_a_stream_when_something_precedes_the_answer) {
  journaled p{false, 1};
  EXPECT_EQ(p.precede("x").seen(), (effects{open_stream{3}, says(3, "x")}));
  EXPECT_TRUE(p.one.reachable(p.all));
  EXPECT_EQ(p.precede("y").seen(), (effects{says(3, "y")}));
  EXPECT_EQ(p.answer("a").seen(), (effects{says(3, "a"), end_stream{3}}));
}

TEST(post, becomes_a_stream_when_patience_ends) {
  journaled p{false, 1};
  EXPECT_EQ(p.one.deadline(), start + 15s);
  EXPECT_EQ(p.tick(start + 15s - 1ns).seen(), effects{});
  EXPECT_EQ(p.tick(start + 15s).seen(), (effects{open_stream{3}}));
  EXPECT_EQ(p.one.deadline(), time_point::max());
  EXPECT_EQ(p.tick(start + 16s).seen(), effects{});
  EXPECT_EQ(p.answer("a").seen(), (effects{says(3, "a"), end_stream{3}}));
}

// 2025-03-26, transports, "Sending Messages to the Server" 5
TEST(post, answers_a_batch_with_one_array_when_all_is_answered) {
  journaled p{true, 3};
  EXPECT_EQ(p.answer("a").answer("b").seen(), effects{});
  EXPECT_FALSE(p.one.done());
  EXPECT_EQ(p.answer("c").seen(), (effects{reply{3, "[a,b,c]"}}));
}

// 2025-03-26, transports, "Sending Messages to the Server" 5
TEST(post, answers_a_batch_of_one_with_an_array) {
  EXPECT_EQ((journaled{true, 1}.answer("a").seen()), (effects{reply{3, "[a]"}}));
}

// 2025-03-26, transports, "Sending Messages to the Server" 6
TEST(post, publishes_what_was_answered_when_a_batch_becomes_a_stream) {
  journaled p{true, 3};
  p.answer("a").answer("b");
  EXPECT_EQ(p.precede("x").seen(), (effects{open_stream{3}, says(3, "a"), says(3, "b"), says(3, "x")}));
  EXPECT_EQ(p.answer("c").seen(), (effects{says(3, "c"), end_stream{3}}));
}

// 2025-11-25, cancellation, "Behavior Requirements" 3
TEST(post, keeps_which_requests_of_a_batch_are_not_answered) {
  stream_journal all;
  all.all.keep_outside();
  post one{3, true, {"7", "8"}, start + 15s};
  one.keep_role(all.all, all.out);
  EXPECT_EQ(all.seen(), effects{}) << "it is no stream";
  one.tick(start + 15s, all.all, all.out);
  one.answer(R"({"jsonrpc":"2.0","id":7,"result":{}})", all.all, all.now, all.out);
  all.seen();
  one.keep_role(all.all, all.out);
  EXPECT_EQ(all.seen(), (effects{keep_event{{3, 0, R"({"answers":[8]})"}}}));
}

TEST(post, that_is_cancelled_is_told_so_in_JSON) {
  auto cancelled = error_text("1", -32800, "Request cancelled");
  EXPECT_EQ((journaled{false, 1}.skip().seen()), (effects{reply{3, cancelled}}));
  EXPECT_EQ((journaled{true, 2}.skip().answer("b").seen()), (effects{reply{3, "[" + cancelled + ",b]"}}));
}

// 2025-11-25, cancellation, "Behavior Requirements" 3
TEST(post, that_is_cancelled_just_ends_its_stream) {
  journaled p{true, 2};
  p.precede("x").seen();
  EXPECT_EQ(p.skip().seen(), effects{});
  EXPECT_EQ(p.skip().seen(), (effects{end_stream{3}}));
}

// 2025-11-25, transports, "Session Management" 5
TEST(post, is_refused_when_the_session_ends_before_the_answer) {
  journaled p{false, 1};
  p.abandon();
  EXPECT_EQ(p.seen(), (effects{reject{3, session_over}}));
}

// 2025-11-25, transports, "Session Management" 5
TEST(post, ends_its_stream_when_the_session_ends) {
  journaled p{false, 1};
  p.precede("x").seen();
  p.abandon();
  EXPECT_EQ(p.seen(), (effects{end_stream{3}}));
}

// 2025-11-25, transports, "Sending Messages to the Server" 6
TEST(post, whose_client_is_gone_before_it_was_a_stream_says_nothing_more) {
  journaled p{true, 2};
  p.one.lost();
  EXPECT_TRUE(p.one.is_lost());
  EXPECT_FALSE(p.one.reachable(p.all));
  EXPECT_EQ(p.one.deadline(), time_point::max());
  EXPECT_EQ(p.tick(start + 1h).precede("x").answer("a").skip().seen(), effects{});
  EXPECT_TRUE(p.one.done());
  p.abandon();
  EXPECT_EQ(p.seen(), effects{});
  EXPECT_EQ(p.all.stored().events(), 0u);
}

// 2025-11-25, transports, "Sending Messages to the Server" 6
TEST(post, whose_stream_lost_its_connection_keeps_the_answer_for_who_comes_back) {
  journaled p{false, 1};
  p.precede("x").seen();
  p.leaves(3);
  p.one.lost();
  EXPECT_FALSE(p.one.is_lost());
  EXPECT_FALSE(p.one.reachable(p.all));
  EXPECT_EQ(p.answer("a").seen(), effects{});
  EXPECT_TRUE(p.one.done());
  p.resumes(4, {3, 1});
  EXPECT_EQ(p.seen(), (effects{open_stream{4}, says(4, "a"), end_stream{4}}));
}

TEST(post, is_reachable_again_when_its_stream_is_resumed) {
  journaled p{false, 1};
  p.precede("x");
  p.leaves(3);
  p.resumes(4, {3, 1});
  EXPECT_TRUE(p.one.reachable(p.all));
  p.seen();
  EXPECT_EQ(p.answer("a").seen(), (effects{says(4, "a"), end_stream{4}}));
}

} // namespace troupe::tests::post_test

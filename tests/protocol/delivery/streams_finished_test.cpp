// Streams that have ended, and connections that resume them repeatedly.

#include "tests/support/stream_journal.hpp"

namespace troupe::tests::streams_finished_test {

using outcome = streams::outcome;

namespace {

/// Stream 3 of a call, which sent "a", has ended, and was replayed twice.
stream_journal sent_twice(const stream_limits& limits = {}) {
  stream_journal s{limits};
  s.calls(3).sends(3, "a").finishes(3);
  for (exchange_id exchange : {4, 5})
    EXPECT_EQ(s.resumes(exchange, {3, 0}), outcome::ended);
  EXPECT_EQ(s.seen().size(), 3u + 2 * 3);
  return s;
}

effects all_of(exchange_id exchange) { return {carries(exchange, {3, 1}, "a"), end_stream{exchange}}; }

} // namespace

TEST(streams, that_have_ended_let_the_third_within_10_s_wait) {
  auto s = sent_twice();
  EXPECT_EQ(s.resumes(6, {3, 0}), outcome::waits);
  EXPECT_EQ(s.seen(), (effects{open_stream{6}}));
  EXPECT_EQ(s.all.waiting(), 1u);
  EXPECT_EQ(s.all.deadline(), s.now + 10s);
  s.after(10s - 1ns);
  EXPECT_EQ(s.seen(), effects{});
  s.after(1ns);
  EXPECT_EQ(s.seen(), all_of(6));
  EXPECT_EQ(s.all.waiting(), 0u);
  EXPECT_EQ(s.all.deadline(), s.now + 60s);
}

TEST(streams, that_have_ended_are_sent_twice_again_when_10_s_have_passed) {
  auto s = sent_twice();
  s.after(10s);
  EXPECT_EQ(s.resumes(6, {3, 0}), outcome::ended);
  EXPECT_EQ(s.resumes(7, {3, 0}), outcome::ended);
  EXPECT_EQ(s.resumes(8, {3, 0}), outcome::waits);
}

TEST(streams, that_have_ended_are_kept_when_the_one_that_waits_leaves) {
  auto s = sent_twice();
  s.resumes(6, {3, 0});
  s.leaves(6);
  s.seen();
  EXPECT_EQ(s.all.waiting(), 0u);
  s.after(60s - 1ns);
  EXPECT_EQ(s.all.size(), 1u);
  s.after(1ns);
  EXPECT_EQ(s.all.size(), 0u);
  EXPECT_EQ(s.seen(), effects{});
}

TEST(streams, that_have_ended_end_the_one_that_waits_when_a_newer_one_comes) {
  auto s = sent_twice();
  s.resumes(6, {3, 0});
  s.seen();
  EXPECT_EQ(s.resumes(7, {3, 0}), outcome::waits);
  EXPECT_EQ(s.seen(), (effects{open_stream{7}, end_stream{6}}));
  s.after(10s);
  EXPECT_EQ(s.seen(), all_of(7));
}

TEST(streams, that_are_forgotten_end_the_one_that_waits) {
  auto s = sent_twice({.kept = 1});
  s.resumes(6, {3, 0});
  s.seen();
  s.calls(20).finishes(20);
  EXPECT_EQ(s.seen(), (effects{open_stream{20}, end_stream{20}, end_stream{6}}));
  EXPECT_EQ(s.all.waiting(), 0u);
  EXPECT_EQ(s.all.size(), 1u);
}

} // namespace troupe::tests::streams_finished_test

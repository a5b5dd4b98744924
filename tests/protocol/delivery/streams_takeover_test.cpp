// Connections that take over a stream from each other.

#include "tests/support/stream_journal.hpp"

namespace troupe::tests::streams_takeover_test {

using outcome = streams::outcome;

namespace {

/// Stream 3 of a call, which sent "a" and was taken over twice. Exchange 5 carries it.
stream_journal contested(const stream_limits& limits = {}) {
  stream_journal s{limits};
  s.calls(3).sends(3, "a");
  s.resumes(4, {3, 1});
  s.resumes(5, {3, 1});
  s.seen();
  return s;
}

} // namespace

TEST(streams, are_taken_over_from_a_connection_that_seems_to_live) {
  stream_journal s;
  s.primed().calls(3).sends(3, "a").sends(3, "b");
  s.seen();
  EXPECT_EQ(s.resumes(4, {3, 1}), outcome::resumed);
  EXPECT_EQ(s.seen(), (effects{open_stream{4}, end_stream{3}, primes(4, {3, 1}), carries(4, {3, 2}, "b")}));
  s.sends(3, "c");
  EXPECT_EQ(s.seen(), (effects{carries(4, {3, 3}, "c")}));
  EXPECT_EQ(s.all.carried_by(3), std::nullopt);
  EXPECT_EQ(s.all.carried_by(4), 3u);
}

TEST(streams, are_not_disturbed_by_the_loss_of_a_connection_that_they_left) {
  stream_journal s;
  s.calls(3).sends(3, "a");
  s.resumes(4, {3, 1});
  s.seen();
  for (exchange_id stale : {3, 0, 9})
    s.leaves(stale);
  EXPECT_TRUE(s.all.attached(3));
  s.sends(3, "b");
  EXPECT_EQ(s.seen(), (effects{carries(4, {3, 2}, "b")}));
}

TEST(streams, let_the_third_that_wants_to_take_over_within_10_s_wait) {
  auto s = contested();
  s.after(10s - 1ns);
  EXPECT_EQ(s.resumes(6, {3, 0}), outcome::waits);
  EXPECT_EQ(s.seen(), (effects{open_stream{6}}));
  EXPECT_EQ(s.all.waiting(), 1u);
  s.sends(3, "b");
  EXPECT_EQ(s.seen(), (effects{carries(5, {3, 2}, "b")}));
  s.leaves(5);
  EXPECT_EQ(s.seen(), (effects{carries(6, {3, 1}, "a"), carries(6, {3, 2}, "b")}));
  EXPECT_EQ(s.all.waiting(), 0u);
  EXPECT_EQ(s.all.carried_by(6), 3u);
  s.sends(3, "c").finishes(3);
  EXPECT_EQ(s.seen(), (effects{carries(6, {3, 3}, "c"), end_stream{6}}));
}

TEST(streams, are_taken_over_again_when_10_s_have_passed) {
  auto s = contested();
  s.after(10s);
  EXPECT_EQ(s.resumes(6, {3, 1}), outcome::resumed);
  EXPECT_EQ(s.resumes(7, {3, 1}), outcome::resumed);
  EXPECT_EQ(s.resumes(8, {3, 1}), outcome::waits);
}

TEST(streams, count_take_overs_each_for_itself) {
  auto s = contested();
  s.calls(10);
  s.seen();
  EXPECT_EQ(s.resumes(11, {10, 0}), outcome::resumed);
  EXPECT_EQ(s.seen(), (effects{open_stream{11}, end_stream{10}}));
}

TEST(streams, do_not_count_it_as_a_take_over_when_nobody_carried_them) {
  stream_journal s;
  s.calls(3);
  for (exchange_id next = 4; next < 9; ++next) {
    s.leaves(next - 1);
    EXPECT_EQ(s.resumes(next, {3, 0}), outcome::resumed);
  }
  EXPECT_EQ(s.resumes(10, {3, 0}), outcome::resumed);
  EXPECT_EQ(s.resumes(11, {3, 0}), outcome::resumed);
  EXPECT_EQ(s.resumes(12, {3, 0}), outcome::waits);
}

TEST(streams, that_have_ended_are_replayed_to_whoever_waits) {
  auto s = contested();
  s.resumes(6, {3, 1});
  s.seen();
  s.sends(3, "answer").finishes(3);
  EXPECT_EQ(s.seen(),
            (effects{carries(5, {3, 2}, "answer"), end_stream{5}, carries(6, {3, 2}, "answer"), end_stream{6}}));
  EXPECT_EQ(s.all.waiting(), 0u);
  EXPECT_EQ(s.all.carried_by(6), std::nullopt);
  EXPECT_EQ(s.all.deadline(), s.now + 60s);
}

TEST(streams, end_the_one_that_waits_when_a_newer_one_comes) {
  auto s = contested();
  s.resumes(6, {3, 1});
  s.seen();
  EXPECT_EQ(s.resumes(7, {3, 0}), outcome::waits);
  EXPECT_EQ(s.seen(), (effects{open_stream{7}, end_stream{6}}));
  EXPECT_EQ(s.all.waiting(), 1u);
  s.leaves(6);
  s.leaves(5);
  EXPECT_EQ(s.seen(), (effects{carries(7, {3, 1}, "a")}));
}

TEST(streams, forget_the_one_that_waits_when_it_leaves) {
  auto s = contested();
  s.resumes(6, {3, 1});
  s.seen();
  s.leaves(6);
  EXPECT_EQ(s.all.waiting(), 0u);
  EXPECT_TRUE(s.all.attached(3));
  s.leaves(5);
  EXPECT_EQ(s.seen(), effects{});
  EXPECT_FALSE(s.all.attached(3));
  EXPECT_EQ(s.resumes(7, {3, 1}), outcome::resumed);
}

TEST(streams, go_to_the_one_that_waits_when_they_poll) {
  stream_journal s{{.poll = 5s}};
  s.primed().listens(3);
  s.resumes(4, {3, 0});
  s.resumes(5, {3, 0});
  s.after(1s);
  EXPECT_EQ(s.resumes(6, {3, 0}), outcome::waits);
  s.seen();
  EXPECT_EQ(s.after(4s), std::vector<exchange_id>{});
  EXPECT_EQ(s.seen(), (effects{end_stream{5}, primes(6, {3, 0})}));
  EXPECT_TRUE(s.all.attached(3));
  EXPECT_EQ(s.all.deadline(), s.now + 5s);
}

TEST(streams, are_counted_rightly_while_one_waits) {
  auto s = contested();
  s.calls(20).leaves(20);
  s.resumes(6, {3, 1});
  EXPECT_EQ(s.all.size(), 2u);
  EXPECT_EQ(s.all.detached(), 1u);
  EXPECT_EQ(s.all.waiting(), 1u);
  EXPECT_EQ(s.all.carried_by(6), std::nullopt);
}

} // namespace troupe::tests::streams_takeover_test

// Streams that begin, break, and are resumed. Takeover by another connection is in streams_takeover_test.cpp.

#include "tests/support/stream_journal.hpp"

namespace troupe::tests::streams_test {

using outcome = streams::outcome;

namespace {

const std::vector<exchange_id> none;

} // namespace

// 2025-11-25, transports, "Resumability and Redelivery" 1
TEST(streams, number_their_events_each_for_itself) {
  stream_journal s;
  s.calls(3).listens(5).sends(3, "a").sends(5, "x").sends(3, "b");
  EXPECT_EQ(s.seen(), (effects{open_stream{3}, open_stream{5}, carries(3, {3, 1}, "a"), carries(5, {5, 1}, "x"),
                               carries(3, {3, 2}, "b")}));
}

// 2025-11-25, transports, "Sending Messages to the Server" 6
TEST(streams, begin_with_a_priming_event) {
  stream_journal s;
  s.primed().calls(3).sends(3, "a");
  EXPECT_EQ(s.seen(), (effects{open_stream{3}, primes(3, {3, 0}), carries(3, {3, 1}, "a")}));
}

// 2025-11-25, transports, "Sending Messages to the Server" 6
TEST(streams, send_no_priming_event_to_older_clients) {
  stream_journal s;
  s.calls(3);
  EXPECT_EQ(s.seen(), (effects{open_stream{3}}));
  s.sends(3, "a").leaves(3);
  s.seen();
  s.resumes(4, {3, 0});
  EXPECT_EQ(s.seen(), (effects{open_stream{4}, carries(4, {3, 1}, "a")}));
}

TEST(streams, tell_their_client_how_long_to_wait) {
  stream_journal s{{.retry = 77ms}};
  s.primed().listens(3);
  EXPECT_EQ(s.seen(), (effects{open_stream{3}, publish{3, {.id = "t-3-0", .retry = 77ms}}}));
}

TEST(streams, end_when_all_is_said) {
  stream_journal s;
  s.calls(3).sends(3, "a");
  s.seen();
  EXPECT_TRUE(s.all.attached(3));
  s.finishes(3);
  EXPECT_EQ(s.seen(), (effects{end_stream{3}}));
  EXPECT_FALSE(s.all.attached(3));
  EXPECT_EQ(s.all.carried_by(3), std::nullopt);
}

TEST(streams, say_nothing_while_nothing_carries_them) {
  stream_journal s;
  s.calls(3).leaves(3);
  s.seen();
  s.sends(3, "a").finishes(3);
  EXPECT_EQ(s.seen(), effects{});
  EXPECT_EQ(s.all.detached(), 1u);
}

TEST(streams, that_are_unknown_take_nothing) {
  stream_journal s;
  s.sends(3, "a").finishes(3).leaves(3);
  EXPECT_EQ(s.seen(), effects{});
  EXPECT_EQ(s.all.stored().events(), 0u);
  EXPECT_FALSE(s.all.listens(3));
}

TEST(streams, know_what_they_are_for_and_who_carries_them) {
  stream_journal s;
  s.calls(3).listens(5);
  EXPECT_FALSE(s.all.listens(3));
  EXPECT_TRUE(s.all.listens(5));
  s.leaves(5);
  EXPECT_EQ(s.resumes(6, {5, 0}), outcome::resumed);
  EXPECT_EQ(s.all.carried_by(6), 5u);
  EXPECT_EQ(s.all.carried_by(5), std::nullopt);
  EXPECT_EQ(s.all.size(), 2u);
  EXPECT_EQ(s.all.detached(), 0u);
}

// -- resumption ----------------------------------------------------------------------

// 2025-11-25, transports, "Resumability and Redelivery" 2
TEST(streams, go_on_after_every_position) {
  const std::vector<std::string> said{"a", "b", "c"};
  for (std::uint64_t position = 0; position <= 3; ++position) {
    stream_journal s;
    s.primed().calls(3).sends(3, "a").sends(3, "b").leaves(3).sends(3, "c");
    s.seen();
    EXPECT_EQ(s.resumes(4, {3, position}), outcome::resumed);
    effects expected{open_stream{4}, primes(4, {3, position})};
    for (auto next = position; next < 3; ++next)
      expected.push_back(carries(4, {3, next + 1}, said[next]));
    EXPECT_EQ(s.seen(), expected) << position;
    s.sends(3, "d").finishes(3);
    EXPECT_EQ(s.seen(), (effects{carries(4, {3, 4}, "d"), end_stream{4}})) << position;
  }
}

// 2025-11-25, transports, "Resumability and Redelivery" 2
TEST(streams, are_not_mixed_up_when_resumed) {
  stream_journal s;
  s.calls(3).listens(5).leaves(3).leaves(5).sends(3, "a").sends(5, "x").sends(3, "b").sends(5, "y");
  s.seen();
  s.resumes(6, {5, 0});
  EXPECT_EQ(s.seen(), (effects{open_stream{6}, carries(6, {5, 1}, "x"), carries(6, {5, 2}, "y")}));
  s.resumes(7, {3, 1});
  EXPECT_EQ(s.seen(), (effects{open_stream{7}, carries(7, {3, 2}, "b")}));
}

TEST(streams, may_break_and_be_resumed_again_and_again) {
  stream_journal s;
  s.calls(3).leaves(3);
  s.seen();
  for (exchange_id next = 4; next < 20; ++next) {
    auto position = next - 4;
    s.sends(3, "x");
    EXPECT_EQ(s.resumes(next, {3, position}), outcome::resumed);
    EXPECT_EQ(s.seen(), (effects{open_stream{next}, carries(next, {3, position + 1}, "x")}));
    s.leaves(next);
  }
}

// 2025-11-25, transports, "Resumability and Redelivery" 2
TEST(streams, that_have_ended_are_replayed_and_end_whenever_asked) {
  stream_journal s;
  s.primed().calls(3).sends(3, "a").leaves(3).sends(3, "answer").finishes(3);
  s.seen();
  for (exchange_id next = 4; next < 10; ++next) {
    EXPECT_EQ(s.resumes(next, {3, 1}), outcome::ended);
    EXPECT_EQ(s.seen(),
              (effects{open_stream{next}, primes(next, {3, 1}), carries(next, {3, 2}, "answer"), end_stream{next}}));
    EXPECT_EQ(s.all.carried_by(next), std::nullopt);
    s.after(10s);
  }
}

// 2025-11-25, transports, "Resumability and Redelivery" 2
TEST(streams, that_have_ended_just_end_when_nothing_is_left) {
  stream_journal s;
  s.calls(3).sends(3, "answer").finishes(3);
  s.seen();
  EXPECT_EQ(s.resumes(4, {3, 1}), outcome::ended);
  EXPECT_EQ(s.seen(), (effects{open_stream{4}, end_stream{4}}));
}

TEST(streams, refuse_ids_that_are_none_of_theirs) {
  stream_journal s;
  s.calls(3).sends(3, "a").leaves(3);
  s.seen();
  for (auto id : {"", "x", "t", "t-", "t-3", "t-3-", "t-3-x", "u-3-1", "t-3-1-", "3-1"})
    EXPECT_EQ(s.all.resume(4, id, s.now, s.out), outcome::foreign) << id;
  EXPECT_EQ(s.resumes(4, {3, 2}), outcome::foreign);
  EXPECT_EQ(s.resumes(4, {4, 0}), outcome::foreign);
  EXPECT_EQ(s.seen(), effects{});
  EXPECT_EQ(s.resumes(4, {3, 1}), outcome::resumed);
}

TEST(streams, refuse_every_id_before_there_was_a_stream) {
  stream_journal s;
  EXPECT_EQ(s.resumes(4, {1, 0}), outcome::foreign);
  EXPECT_EQ(s.seen(), effects{});
}

TEST(streams, that_are_forgotten_just_end) {
  stream_journal s;
  s.primed().listens(3).leaves(3).listens(4);
  s.after(60s);
  s.seen();
  EXPECT_EQ(s.resumes(5, {3, 0}), outcome::ended);
  EXPECT_EQ(s.seen(), (effects{open_stream{5}, end_stream{5}}));
  EXPECT_EQ(s.all.carried_by(5), std::nullopt);
}

TEST(streams, go_on_with_what_is_left_when_the_rest_was_forgotten) {
  stream_journal s{{.stored_events = 2}};
  s.calls(3).leaves(3).sends(3, "a").sends(3, "b").sends(3, "c");
  s.seen();
  EXPECT_EQ(s.resumes(4, {3, 0}), outcome::resumed);
  EXPECT_EQ(s.seen(), (effects{open_stream{4}, carries(4, {3, 2}, "b"), carries(4, {3, 3}, "c")}));
}

TEST(streams, keep_answers_longer_than_notifications) {
  stream_journal s{{.stored_events = 2}};
  s.calls(3).leaves(3).sends(3, "answer").sends(3, "n", false).sends(3, "m", false);
  s.seen();
  s.resumes(4, {3, 0});
  EXPECT_EQ(s.seen(), (effects{open_stream{4}, carries(4, {3, 1}, "answer"), carries(4, {3, 3}, "m")}));
}

// -- time ------------------------------------------------------------------------------

// 2025-11-25, transports, "Resumability and Redelivery" 2
TEST(streams, that_have_ended_are_kept_for_60_s_and_not_longer) {
  for (auto by : {0s, 40s}) {
    stream_journal s;
    s.calls(3).sends(3, "answer");
    s.after(by);
    s.finishes(3);
    EXPECT_EQ(s.all.deadline(), s.now + 60s);
    EXPECT_EQ(s.after(60s - 1ns), none);
    EXPECT_EQ(s.all.size(), 1u);
    EXPECT_EQ(s.all.stored().events(), 1u);
    EXPECT_EQ(s.after(1ns), none);
    EXPECT_EQ(s.all.size(), 0u);
    EXPECT_EQ(s.all.stored().events(), 0u);
    EXPECT_EQ(s.all.deadline(), time_point::max());
  }
}

TEST(streams, of_the_server_s_own_messages_are_kept_for_60_s_without_a_connection) {
  stream_journal s;
  s.listens(3);
  EXPECT_EQ(s.all.deadline(), time_point::max());
  s.after(1h);
  s.leaves(3).sends(3, "a");
  EXPECT_EQ(s.all.deadline(), s.now + 60s);
  s.after(60s - 1ns);
  s.seen();
  EXPECT_EQ(s.resumes(4, {3, 0}), outcome::resumed);
  EXPECT_EQ(s.seen(), (effects{open_stream{4}, carries(4, {3, 1}, "a")}));
  EXPECT_EQ(s.all.deadline(), time_point::max());
  s.after(1h);
  EXPECT_EQ(s.all.size(), 1u);
  s.leaves(4);
  s.after(60s);
  EXPECT_EQ(s.all.size(), 0u);
}

// 2025-11-25, transports, "Sending Messages to the Server" 6
TEST(streams, of_a_call_are_kept_while_it_runs) {
  stream_journal s;
  s.calls(3).leaves(3);
  s.after(24h);
  s.sends(3, "answer").finishes(3);
  s.after(60s - 1ns);
  s.seen();
  EXPECT_EQ(s.resumes(4, {3, 0}), outcome::ended);
  EXPECT_EQ(s.seen(), (effects{open_stream{4}, carries(4, {3, 1}, "answer"), end_stream{4}}));
}

TEST(streams, that_have_ended_are_kept_anew_when_somebody_came_back_for_them) {
  stream_journal s;
  s.calls(3).finishes(3);
  s.after(60s - 1ns);
  s.resumes(4, {3, 0});
  s.after(60s - 1ns);
  EXPECT_EQ(s.all.size(), 1u);
  s.after(1ns);
  EXPECT_EQ(s.all.size(), 0u);
}

// -- polling -----------------------------------------------------------------------------

// 2025-11-25, transports, "Sending Messages to the Server" 6
TEST(streams, that_poll_are_left_after_a_while_and_go_on) {
  stream_journal s{{.poll = 30s}};
  s.primed().calls(3).listens(5);
  EXPECT_EQ(s.all.deadline(), s.now + 30s);
  s.seen();
  EXPECT_EQ(s.after(30s - 1ns), none);
  EXPECT_EQ(s.seen(), effects{});
  EXPECT_EQ(s.after(1ns), (std::vector<exchange_id>{3, 5}));
  EXPECT_EQ(s.seen(), (effects{end_stream{3}, end_stream{5}}));
  s.sends(3, "a").sends(5, "x");
  EXPECT_EQ(s.seen(), effects{});
  EXPECT_EQ(s.resumes(6, {3, 0}), outcome::resumed);
  EXPECT_EQ(s.seen(), (effects{open_stream{6}, primes(6, {3, 0}), carries(6, {3, 1}, "a")}));
  EXPECT_EQ(s.after(30s), (std::vector<exchange_id>{3}));
  EXPECT_EQ(s.seen(), (effects{end_stream{6}}));
  s.sends(3, "answer").finishes(3);
  EXPECT_EQ(s.resumes(7, {3, 1}), outcome::ended);
  EXPECT_EQ(s.seen(), (effects{open_stream{7}, primes(7, {3, 1}), carries(7, {3, 2}, "answer"), end_stream{7}}));
}

TEST(streams, never_poll_with_clients_that_do_not_know_of_it) {
  stream_journal s{{.poll = 30s}};
  s.calls(3);
  EXPECT_EQ(s.all.deadline(), time_point::max());
  EXPECT_EQ(s.after(1h), none);
  EXPECT_TRUE(s.all.attached(3));
}

TEST(streams, that_poll_and_listen_are_forgotten_when_nobody_comes_back) {
  stream_journal s{{.poll = 30s}};
  s.primed().listens(5);
  s.after(30s);
  EXPECT_EQ(s.all.deadline(), s.now + 60s);
  s.after(60s);
  EXPECT_EQ(s.all.size(), 0u);
}

// -- numbers of sessions -------------------------------------------------------------------

TEST(streams, that_have_ended_are_kept_up_to_a_number_and_the_oldest_is_forgotten) {
  for (exchange_id ended : {2u, 3u, 4u}) {
    stream_journal s{{.kept = 3}};
    s.calls(1);
    for (exchange_id stream = 2; stream < 2 + ended; ++stream)
      s.calls(stream).sends(stream, "answer").finishes(stream);
    s.seen();
    EXPECT_EQ(s.all.size(), 1 + std::min<std::size_t>(ended, 3)) << ended;
    EXPECT_EQ(s.all.stored().events(), std::min<std::size_t>(ended, 3)) << ended;
    EXPECT_EQ(s.resumes(20, {2, 0}), outcome::ended);
    effects all{open_stream{20}, carries(20, {2, 1}, "answer"), end_stream{20}};
    EXPECT_EQ(s.seen(), ended > 3 ? (effects{open_stream{20}, end_stream{20}}) : all) << ended;
    EXPECT_TRUE(s.all.attached(1));
  }
}

TEST(streams, end_once) {
  stream_journal s;
  s.calls(3).finishes(3);
  s.seen();
  s.after(30s);
  s.finishes(3);
  EXPECT_EQ(s.seen(), effects{});
  s.after(30s);
  EXPECT_EQ(s.all.size(), 0u);
}

} // namespace troupe::tests::streams_test

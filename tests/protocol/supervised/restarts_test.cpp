#include "protocol/supervised/restarts.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <set>

namespace troupe::protocol {
static void PrintTo(const restart_pause& one, std::ostream* out) {
  *out << one.length.count() << " ms" << (one.rests ? " rests" : "");
}
} // namespace troupe::protocol

namespace troupe::tests::restarts_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

constexpr time_point start{1h};
constexpr restart_pause none{};
constexpr restart_limits patient{
    .first_delay = 500ms, .longest_delay = 3s, .attempts = 100, .steady = 10s, .rest = 60s};

/// Expects a delay within a fifth of this length.
void expect_about(std::chrono::milliseconds length, const restart_pause& seen) {
  EXPECT_FALSE(seen.rests);
  EXPECT_GE(seen.length, length * 4 / 5);
  EXPECT_LE(seen.length, length * 6 / 5);
}

} // namespace

TEST(restarts, come_at_once_after_the_first_loss_and_then_after_growing_pauses) {
  restarts it{patient, 1};
  EXPECT_EQ(it.lost(start), none);
  for (auto length : {500ms, 1000ms, 2000ms, 3000ms, 3000ms, 3000ms})
    expect_about(length, it.lost(start));
}

TEST(restarts, begin_anew_after_a_steady_run) {
  restarts it{patient, 1};
  for (int i = 0; i < 4; ++i)
    it.lost(start);
  it.ready(start);
  EXPECT_EQ(it.lost(start + 10s), none);
  expect_about(500ms, it.lost(start + 10s));
}

TEST(restarts, do_not_begin_anew_after_a_run_that_is_almost_steady) {
  restarts it{patient, 1};
  it.lost(start);
  it.lost(start);
  it.ready(start);
  expect_about(1000ms, it.lost(start + 10s - 1ns));
}

TEST(restarts, count_a_run_once) {
  restarts it{patient, 1};
  it.ready(start);
  EXPECT_EQ(it.lost(start + 1h), none);
  expect_about(500ms, it.lost(start + 2h));
}

TEST(restarts, rest_after_so_many_attempts_and_not_before) {
  restarts it{{.attempts = 3, .rest = 60s}, 1};
  EXPECT_EQ(it.lost(start), none);
  expect_about(500ms, it.lost(start));
  EXPECT_EQ(it.lost(start), (restart_pause{60s, true}));
}

TEST(restarts, rest_again_when_the_one_try_is_lost_and_not_after_it_was_steady) {
  restarts it{{.attempts = 2, .steady = 10s, .rest = 60s}, 1};
  it.lost(start);
  EXPECT_EQ(it.lost(start), (restart_pause{60s, true}));
  it.ready(start);
  EXPECT_EQ(it.lost(start + 9s), (restart_pause{120s, true})) << "each further rest is twice as long";
  it.ready(start);
  EXPECT_EQ(it.lost(start + 10s), none);
  expect_about(500ms, it.lost(start));
  EXPECT_EQ(it.lost(start), (restart_pause{60s, true})) << "and the next rest is the first again";
}

TEST(restarts, rest_up_to_five_times_as_long_and_five_minutes_unless_they_are_told_to) {
  restarts quick{{.attempts = 1, .rest = 100ms}, 1};
  for (auto length : {100ms, 200ms, 400ms, 500ms, 500ms})
    EXPECT_EQ(quick.lost(start), (restart_pause{length, true}));
  restarts it{{.attempts = 1, .rest = 100s}, 1};
  for (auto length : {100s, 200s, 300s, 300s})
    EXPECT_EQ(it.lost(start), (restart_pause{length, true}));
  it.forget_failures();
  EXPECT_EQ(it.lost(start), (restart_pause{100s, true}));
  restarts patient_one{{.attempts = 1, .rest = 1h}, 1};
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(patient_one.lost(start), (restart_pause{1h, true}));
}

TEST(start_breaker, rests_twice_as_long_when_the_one_try_fails_too) {
  start_breaker it{2, 60s};
  for (int i = 0; i < 9; ++i)
    it.failed(start); // many users at once
  EXPECT_EQ(it.refuses(start), 60s);
  EXPECT_EQ(it.claims(start + 60s), std::nullopt);
  it.failed(start + 60s);
  EXPECT_EQ(it.refuses(start + 60s), 120s);
  EXPECT_EQ(it.claims(start + 180s - 1ms), 1ms);
  EXPECT_EQ(it.claims(start + 180s), std::nullopt);
  it.worked();
  it.failed(start + 200s);
  it.failed(start + 200s);
  EXPECT_EQ(it.refuses(start + 200s), 60s);
}

TEST(restarts, rest_at_once_when_one_attempt_is_all) {
  restarts it{{.attempts = 1, .rest = 60s}, 1};
  EXPECT_EQ(it.lost(start), (restart_pause{60s, true}));
}

TEST(restarts, differ_by_their_seed_and_by_nothing_else) {
  std::set<std::chrono::milliseconds> seen;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    restarts one{patient, seed}, same{patient, seed};
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(one.lost(start), same.lost(start));
    seen.insert(one.lost(start).length);
  }
  EXPECT_GT(seen.size(), 10u);
}

TEST(restarts, need_no_delay_and_bear_any_number_of_losses) {
  restarts it{{.first_delay = 0ms, .attempts = 1000}, 1};
  for (int i = 0; i < 999; ++i)
    EXPECT_EQ(it.lost(start), none);
}

} // namespace troupe::tests::restarts_test

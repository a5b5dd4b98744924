#include "protocol/catalog/member_retries.hpp"

#include <gtest/gtest.h>

#include <set>

namespace troupe::tests::member_retries_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

const member_retries::request what{1, list_kind::tools};

/// The delay after a failure.
std::chrono::seconds pause_after(member_retries& all, time_point now) {
  all.failed(what, now);
  return std::chrono::duration_cast<std::chrono::seconds>(all.deadline() - now);
}

} // namespace

TEST(a_retry, waits_longer_after_each_failure) {
  member_retries all;
  time_point now{1h};
  for (auto pause : {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) {
    EXPECT_EQ(pause_after(all, now), pause);
    now = all.deadline();
    EXPECT_EQ(all.extract_due(now).size(), 1U);
  }
}

TEST(a_retry, goes_on_to_wait_longer_when_it_fails_again_soon_after_a_success) {
  member_retries all;
  time_point now{1h};
  for (auto pause : {1s, 2s, 4s, 8s}) {
    EXPECT_EQ(pause_after(all, now), pause);
    now = all.deadline();
    EXPECT_EQ(all.extract_due(now).size(), 1U);
    all.cancel(what);
    EXPECT_EQ(all.deadline(), time_point::max());
  }
}

TEST(a_retry, begins_anew_when_nothing_has_failed_for_a_minute_more_than_the_pause) {
  member_retries all;
  time_point now{1h};
  pause_after(all, now);
  all.cancel(what);
  EXPECT_EQ(pause_after(all, now + 61s), 2s);
  all.cancel(what);
  EXPECT_EQ(pause_after(all, now + 61s + 63s), 1s);
}

TEST(a_retry, is_up_to_half_sooner_in_each_session) {
  std::set<std::chrono::nanoseconds> first, longest;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    member_retries all{seed};
    time_point now{1h};
    for (auto pause : {1s, 2s, 4s, 8s, 16s, 32s, 60s}) {
      all.failed(what, now);
      const auto ahead = all.deadline() - now;
      EXPECT_LE(ahead, pause);
      EXPECT_GE(ahead, pause / 2);
      (pause == 1s ? first : longest).insert(ahead);
      now = all.deadline();
      all.extract_due(now);
    }
  }
  EXPECT_GT(first.size(), 30U) << "not in step";
  EXPECT_GT(longest.size(), 200U);
}

TEST(a_retry, of_what_is_done_once_waits_longer_each_time_it_comes_again_soon) {
  member_retries all;
  time_point now{1h};
  EXPECT_TRUE(all.is_due_now(what, now));
  EXPECT_EQ(all.deadline(), time_point::max());
  for (auto pause : {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) {
    EXPECT_FALSE(all.is_due_now(what, now));
    EXPECT_EQ(all.deadline(), now + pause);
    now = all.deadline();
    EXPECT_EQ(all.extract_due(now).size(), 1U);
  }
  EXPECT_TRUE(all.is_due_now(what, now + 121s));
  EXPECT_TRUE(all.is_due_now({2, list_kind::tools}, now));
}

} // namespace troupe::tests::member_retries_test

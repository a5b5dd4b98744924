#include "protocol/catalog/member_retries.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::member_retries_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

const member_retries::request what{1, list_kind::tools};

/// How long after a failure it is asked again.
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
    EXPECT_EQ(all.take_due(now).size(), 1U);
  }
}

TEST(a_retry, goes_on_to_wait_longer_when_it_fails_again_soon_after_a_success) {
  member_retries all;
  time_point now{1h};
  for (auto pause : {1s, 2s, 4s, 8s}) {
    EXPECT_EQ(pause_after(all, now), pause);
    now = all.deadline();
    EXPECT_EQ(all.take_due(now).size(), 1U);
    all.rest(what);
    EXPECT_EQ(all.deadline(), time_point::max());
  }
}

TEST(a_retry, begins_anew_when_nothing_has_failed_for_a_minute_more_than_the_pause) {
  member_retries all;
  time_point now{1h};
  pause_after(all, now);
  all.rest(what);
  EXPECT_EQ(pause_after(all, now + 61s), 2s);
  all.rest(what);
  EXPECT_EQ(pause_after(all, now + 61s + 63s), 1s);
}

} // namespace troupe::tests::member_retries_test

#include "protocol/log.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::log_quota_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

/// How many of the lines at that time are logged.
std::size_t shown(log_quota& quota, std::size_t lines, time_point now) {
  std::size_t result = 0;
  for (; lines > 0; --lines)
    result += quota.try_acquire(now) ? 1 : 0;
  return result;
}

constexpr auto most = log_quota::lines_at_once;
const time_point start{1h};

} // namespace

TEST(log_quota, shows_so_many_lines_at_once_and_no_more) {
  for (auto extra : {-1, 0, 1}) {
    log_quota quota;
    auto lines = most + static_cast<std::size_t>(extra);
    EXPECT_EQ(shown(quota, lines, start), std::min(lines, most));
    EXPECT_EQ(quota.take_left_out(), extra > 0 ? 1u : 0u);
    EXPECT_EQ(quota.take_left_out(), 0u);
  }
}

TEST(log_quota, shows_all_lines_of_a_server_within_its_rate) {
  log_quota quota;
  for (auto second = 0; second < 100; ++second)
    EXPECT_EQ(shown(quota, log_quota::lines_per_second, start + second * 1s), log_quota::lines_per_second);
}

TEST(log_quota, shows_nothing_after_too_much_until_there_was_a_rest) {
  log_quota quota;
  EXPECT_EQ(shown(quota, 2 * most, start), most);
  constexpr auto rest = std::chrono::seconds{most / log_quota::lines_per_second};
  EXPECT_EQ(shown(quota, 10, start + rest - 1ms), 0u);
  EXPECT_EQ(shown(quota, 10, start + rest), 10u);
  EXPECT_EQ(quota.take_left_out(), most + 10);
}

TEST(log_quota, shows_the_same_share_of_garbage_without_end) {
  log_quota quota;
  std::size_t seen = 0;
  for (auto tenth = 0; tenth < 1000; ++tenth)
    seen += shown(quota, 100, start + tenth * 100ms);
  EXPECT_LE(seen, most + 100 * log_quota::lines_per_second);
  EXPECT_GE(seen, 100 * log_quota::lines_per_second - most);
  EXPECT_EQ(seen + quota.take_left_out(), 100'000u);
}

} // namespace troupe::tests::log_quota_test

#include "protocol/http/caller_limits.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::caller_limits_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

const time_point start{1h};

/// Status, text and delay of a refusal; `passes` when there is none.
std::string seen(const std::optional<rejection>& why) {
  return why ? std::to_string(why->status) + ' ' + why->headers.at(0).first + ' ' + why->headers.at(0).second
             : "passes";
}

} // namespace

TEST(caller_limits, let_twice_the_rate_through_at_once) {
  caller_limits all{{.requests_per_second = 2}};
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(seen(all.request("a", start)), "passes");
  EXPECT_EQ(seen(all.request("a", start)), "429 Retry-After 1");
  EXPECT_EQ(seen(all.request("b", start)), "passes");
  EXPECT_EQ(seen(all.request("a", start + 500ms)), "passes");
}

TEST(caller_limits, tell_how_long_to_wait_for_another_session) {
  caller_limits all{{.initializes_per_minute = 1}};
  EXPECT_EQ(seen(all.initialize("a", start)), "passes");
  EXPECT_EQ(seen(all.initialize("a", start)), "passes");
  EXPECT_EQ(seen(all.initialize("a", start)), "429 Retry-After 60");
  EXPECT_EQ(seen(all.initialize("a", start + 59s)), "429 Retry-After 1");
  EXPECT_EQ(seen(all.request("a", start)), "passes");
  EXPECT_EQ(seen(all.initialize("a", start + 1min)), "passes");
}

TEST(caller_limits, count_the_calls_that_await_their_answer) {
  caller_limits all{{.calls = 2}};
  EXPECT_EQ(seen(all.call("a", start)), "passes");
  EXPECT_EQ(seen(all.call("a", start)), "passes");
  EXPECT_EQ(seen(all.call("a", start)), "429 Retry-After 1");
  EXPECT_EQ(seen(all.call("b", start)), "passes");
  all.call_ended("a", start);
  EXPECT_EQ(seen(all.call("a", start)), "passes");
  EXPECT_EQ(seen(all.call("a", start)), "429 Retry-After 1");
}

TEST(caller_limits, without_a_limit_let_everything_through) {
  caller_limits all{{}};
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_EQ(seen(all.request("a", start)), "passes");
    ASSERT_EQ(seen(all.initialize("a", start)), "passes");
    ASSERT_EQ(seen(all.call("a", start)), "passes");
  }
  EXPECT_EQ(all.size(), 0u);
}

TEST(caller_limits, forget_who_rests) {
  caller_limits all{{.requests_per_second = 1, .calls = 1}};
  all.request("asks", start);
  all.call("waits", start);
  EXPECT_EQ(all.size(), 2u);
  all.request("other", start + 10s);
  EXPECT_EQ(all.size(), 2u);
  all.call_ended("waits", start + 10s);
  EXPECT_EQ(all.size(), 1u);
}

TEST(caller_limits, remember_no_more_than_so_many) {
  caller_limits all{{.requests_per_second = 1, .calls = 1}};
  for (std::size_t i = 0; i < caller_limits::most + 1; ++i)
    EXPECT_EQ(seen(all.call(std::to_string(i), start)), "passes");
  EXPECT_EQ(all.size(), caller_limits::most);
  EXPECT_EQ(seen(all.call(std::to_string(caller_limits::most - 1), start)), "429 Retry-After 1");
  EXPECT_EQ(seen(all.call(std::to_string(caller_limits::most), start)), "passes");
}

} // namespace troupe::tests::caller_limits_test

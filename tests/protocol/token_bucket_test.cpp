#include "protocol/rate_limits.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::token_bucket_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

const time_point start{1h};

/// How many of `tries` at the same time are allowed.
std::size_t taken(token_bucket& from, const rate& by, time_point now, std::size_t tries) {
  std::size_t result = 0;
  for (std::size_t i = 0; i < tries; ++i)
    result += from.try_acquire(by, now) ? 1 : 0;
  return result;
}

} // namespace

TEST(token_bucket, has_a_burst_and_then_its_rate) {
  token_bucket bucket;
  const auto by = rate_of(10, 1s);
  EXPECT_EQ(taken(bucket, by, start, 100), 20u);
  EXPECT_EQ(taken(bucket, by, start + 99ms, 100), 0u);
  EXPECT_EQ(taken(bucket, by, start + 100ms, 100), 1u);
  EXPECT_EQ(taken(bucket, by, start + 1100ms, 100), 10u);
  EXPECT_EQ(taken(bucket, by, start + 1h, 100), 20u);
}

TEST(token_bucket, tells_when_there_is_a_token) {
  token_bucket bucket;
  const auto by = rate_of(60, 1min);
  EXPECT_EQ(bucket.wait(by, start), 0s);
  EXPECT_EQ(taken(bucket, by, start, 200), 120u);
  EXPECT_EQ(bucket.wait(by, start), 1s);
  EXPECT_EQ(bucket.wait(by, start + 400ms), 600ms);
  EXPECT_FALSE(bucket.try_acquire(by, start + 999ms));
  EXPECT_TRUE(bucket.try_acquire(by, start + 1s));
}

TEST(token_bucket, is_full_again_after_a_rest) {
  token_bucket bucket;
  const auto by = rate_of(10, 1s);
  EXPECT_TRUE(bucket.is_full(start));
  EXPECT_EQ(taken(bucket, by, start, 20), 20u);
  EXPECT_FALSE(bucket.is_full(start + 1999ms));
  EXPECT_TRUE(bucket.is_full(start + 2s));
}

TEST(token_bucket, is_full_later_for_all_that_is_spent) {
  token_bucket bucket;
  bucket.spend(3s, start);
  bucket.spend(2s, start + 1s);
  EXPECT_EQ(bucket.full_at(), start + 5s);
  bucket.spend(1s, start + 1h);
  EXPECT_EQ(bucket.full_at(), start + 1h + 1s) << "a full bucket gets no more";
}

TEST(token_bucket, without_a_rate_is_never_empty) {
  token_bucket bucket;
  EXPECT_EQ(taken(bucket, rate_of(0, 1s), start, 10'000), 10'000u);
  EXPECT_TRUE(bucket.is_full(start));
}

} // namespace troupe::tests::token_bucket_test

#include "protocol/trace/span.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace troupe::tests::sampler_test {

using protocol::sampler;
using protocol::trace_position;

namespace {

constexpr auto last_low = std::numeric_limits<std::uint64_t>::max();

trace_position parent_of(bool is_sampled, std::uint64_t low = last_low) {
  return {.high = 1, .low = low, .span = 1, .is_sampled = is_sampled};
}

} // namespace

TEST(sampler, takes_all_or_none_of_the_traces_that_begin_here) {
  for (std::uint64_t low : {std::uint64_t{0}, std::uint64_t{1}, last_low / 2, last_low}) {
    EXPECT_TRUE(sampler(1).samples_new(low));
    EXPECT_FALSE(sampler(0).samples_new(low));
  }
}

TEST(sampler, takes_a_share_by_the_id_of_the_trace) {
  const sampler half{0.5};
  const auto middle = std::uint64_t{1} << 63;
  EXPECT_TRUE(half.samples_new(middle - 1));
  EXPECT_FALSE(half.samples_new(middle));
  EXPECT_FALSE(half.samples_new(middle + 1));
}

TEST(sampler, takes_a_smaller_share_of_what_a_larger_one_takes) {
  const sampler tenth{0.1}, quarter{0.25};
  for (std::uint64_t i = 0; i < 1000; ++i)
    if (auto low = i * (last_low / 1000); tenth.samples_new(low)) {
      EXPECT_TRUE(quarter.samples_new(low));
    }
}

TEST(sampler, takes_about_the_share_that_it_is_told) {
  int taken = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i)
    taken += sampler{0.01}.samples_new(i * (last_low / 10'000)) ? 1 : 0;
  EXPECT_NEAR(taken, 100, 1);
}

TEST(sampler, takes_shares_beyond_the_bounds_for_none_and_all) {
  EXPECT_TRUE(sampler(1.5).samples_new(last_low));
  EXPECT_FALSE(sampler(-1).samples_new(0));
}

TEST(sampler, follows_what_others_have_begun) {
  for (double share : {0.0, 1.0}) {
    EXPECT_TRUE(sampler(share, true).samples(parent_of(true)));
    EXPECT_FALSE(sampler(share, true).samples(parent_of(false)));
  }
}

TEST(sampler, decides_by_the_share_alone_when_it_follows_nobody) {
  for (bool is_sampled : {false, true}) {
    EXPECT_TRUE(sampler(1, false).samples(parent_of(is_sampled)));
    EXPECT_FALSE(sampler(0, false).samples(parent_of(is_sampled)));
    EXPECT_TRUE(sampler(0.5, false).samples(parent_of(is_sampled, 0)));
    EXPECT_FALSE(sampler(0.5, false).samples(parent_of(is_sampled)));
  }
}

} // namespace troupe::tests::sampler_test

#include "deploy/config/config_value.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace troupe::tests::duration_test {

using namespace deploy;

using std::chrono::milliseconds;

TEST(duration, is_seconds_or_has_a_unit) {
  EXPECT_EQ(duration_of(2.0), milliseconds{2000});
  EXPECT_EQ(duration_of("500ms"), milliseconds{500});
  EXPECT_EQ(duration_of("30s"), milliseconds{30'000});
  EXPECT_EQ(duration_of("1.5m"), milliseconds{90'000});
  EXPECT_EQ(duration_of("1h"), milliseconds{3'600'000});
}

TEST(duration, is_rounded_up_so_that_only_nothing_is_zero) {
  EXPECT_EQ(duration_of(1e-9), milliseconds{1});
  EXPECT_EQ(duration_of("0.001ms"), milliseconds{1});
  EXPECT_EQ(duration_of(0.0), milliseconds{0});
  EXPECT_EQ(duration_of("0.000h"), milliseconds{0});
}

TEST(duration, is_below_what_nanoseconds_can_count) {
  EXPECT_EQ(duration_of(999'999'999.0), milliseconds{999'999'999'000});
  EXPECT_EQ(duration_of(1e9), std::nullopt);
  EXPECT_EQ(duration_of(-1e-9), std::nullopt);
  EXPECT_EQ(duration_of(std::numeric_limits<double>::quiet_NaN()), std::nullopt);
  EXPECT_EQ(duration_of("999999999999ms"), milliseconds{999'999'999'999});
  EXPECT_EQ(duration_of("999999999s"), milliseconds{999'999'999'000});
  for (const auto* text : {"1000000000000ms", "1000000000s", "10000000m", "100000h"})
    EXPECT_EQ(duration_of(text), std::nullopt) << text;
}

TEST(duration, is_nothing_else) {
  for (const auto* text :
       {"", "s", "5", "5 s", "-5s", "+5s", ".5s", "5.s", "1.2.3s", "1e3s", "5S", "5d", "0.0001s", "5ss"})
    EXPECT_EQ(duration_of(text), std::nullopt) << text;
}

} // namespace troupe::tests::duration_test

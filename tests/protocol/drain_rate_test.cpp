#include "protocol/rate_limits.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::drain_rate_test {

using namespace protocol;

TEST(drain_rate, is_read_for_a_second_or_a_minute) {
  using std::chrono::seconds;
  EXPECT_EQ(read_drain_rate("20"), (drain_rate{20, seconds{1}}));
  EXPECT_EQ(read_drain_rate("20/s"), (drain_rate{20, seconds{1}}));
  EXPECT_EQ(read_drain_rate("90/min"), (drain_rate{90, seconds{60}}));
  EXPECT_EQ(read_drain_rate("1"), (drain_rate{1, seconds{1}}));
  EXPECT_EQ(read_drain_rate("10000/s"), (drain_rate{10'000, seconds{1}}));
}

TEST(drain_rate, is_no_other_text) {
  for (auto text : {"", "0", "0/s", "-1", "+1", "abc", "1.5", "10001", "99999999999999999999", "20/", "20/h", "20/m",
                    "20 /s", "/s", "20/s/s", " 20"})
    EXPECT_EQ(read_drain_rate(text), std::nullopt) << text;
}

TEST(drain_rate, is_shown_as_it_is_read) {
  EXPECT_EQ(drain_rate_text({20}), "20/s");
  EXPECT_EQ(drain_rate_text({90, std::chrono::seconds{60}}), "90/min");
  EXPECT_EQ(no_drain_rate("abc"), "'abc' is no rate: say how many sessions leave, such as 20/s or 90/min, from 1 to "
                                  "10000");
}

} // namespace troupe::tests::drain_rate_test

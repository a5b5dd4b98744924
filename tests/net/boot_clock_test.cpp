#include "net/boot_clock.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>

namespace troupe::tests::boot_clock_test {

namespace {

std::chrono::steady_clock::time_point reading(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return std::chrono::steady_clock::time_point{std::chrono::seconds{time.tv_sec} +
                                               std::chrono::nanoseconds{time.tv_nsec}};
}

} // namespace

TEST(boot_clock, counts_suspended_time) {
  const auto before = reading(CLOCK_BOOTTIME);
  const auto now = net::boot_clock::now();
  EXPECT_LE(before, now);
  EXPECT_LE(now, reading(CLOCK_BOOTTIME));
}

} // namespace troupe::tests::boot_clock_test

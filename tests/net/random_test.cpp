#include "net/random.hpp"

#include <gtest/gtest.h>

#include <set>

using namespace troupe::net;

TEST(random, never_repeats_itself) {
  std::set<std::array<std::byte, 16>> seen;
  for (auto i = 0; i < 1000; ++i)
    seen.insert(random_128());
  EXPECT_EQ(seen.size(), 1000u);
}

TEST(random, leaves_no_bit_constant) {
  std::array<std::byte, 16> ever_set{}, ever_clear{};
  for (auto i = 0; i < 200; ++i) {
    auto one = random_128();
    for (std::size_t j = 0; j < one.size(); ++j) {
      ever_set[j] |= one[j];
      ever_clear[j] |= ~one[j];
    }
  }
  for (std::size_t j = 0; j < ever_set.size(); ++j)
    EXPECT_EQ(ever_set[j] & ever_clear[j], std::byte{0xff});
}

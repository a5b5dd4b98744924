#include "net/crypto.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::tests::random_test {

using namespace net;

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

TEST(random, is_another_in_a_process_that_was_forked) {
  random_128();
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const auto child = ::fork();
  if (child == 0) {
    const auto one = random_128();
    ::_exit(::write(ends[1], one.data(), one.size()) == static_cast<ssize_t>(one.size()) ? 0 : 1);
  }
  std::array<std::byte, 16> theirs;
  ASSERT_EQ(::read(ends[0], theirs.data(), theirs.size()), static_cast<ssize_t>(theirs.size()));
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_NE(theirs, random_128());
}

} // namespace troupe::tests::random_test

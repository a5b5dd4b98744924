#include "protocol/text/words.hpp"

#include <gtest/gtest.h>
#include <string>

namespace troupe::tests::same_secret_test {

using troupe::protocol::same_secret;

TEST(same_secret, is_the_same_only_when_each_byte_is) {
  for (std::size_t size = 0; size <= 33; ++size) {
    const std::string one(size, 'x');
    EXPECT_TRUE(same_secret(one, std::string(size, 'x')));
    EXPECT_FALSE(same_secret(one, one + "x"));
    EXPECT_FALSE(same_secret(one + "x", one));
    for (std::size_t at = 0; at < size; ++at) {
      auto other = one;
      other[at] = 'y';
      EXPECT_FALSE(same_secret(one, other)) << size << ' ' << at;
    }
  }
}

} // namespace troupe::tests::same_secret_test

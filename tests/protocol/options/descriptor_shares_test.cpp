#include "protocol/options/descriptor_shares.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace troupe::tests::descriptor_shares_test {

using namespace protocol;

namespace {

constexpr auto any_number = std::numeric_limits<std::size_t>::max();

} // namespace

TEST(descriptor_shares, give_connections_a_half_unless_told_otherwise) {
  EXPECT_EQ(share_descriptors(1024, 0, 4), (descriptor_shares{512, (1024 - 64 - 512) / 4}));
  EXPECT_EQ(share_descriptors(256, 0, 4), (descriptor_shares{128, 16}));
  EXPECT_EQ(share_descriptors(1024, 100, 4), (descriptor_shares{100, (1024 - 64 - 100) / 4}));
}

TEST(descriptor_shares, let_servers_that_take_none_have_any_number_of_sessions) {
  EXPECT_EQ(share_descriptors(1024, 0, 0), (descriptor_shares{512, any_number}));
}

TEST(descriptor_shares, leave_a_reserve_whatever_connections_were_asked_for) {
  EXPECT_EQ(share_descriptors(1024, 959, 1), (descriptor_shares{959, 1}));
  EXPECT_EQ(share_descriptors(1024, 960, 1), (descriptor_shares{960, 0}));
  EXPECT_EQ(share_descriptors(1024, 961, 1), (descriptor_shares{960, 0}));
  EXPECT_EQ(share_descriptors(1024, any_number, 1), (descriptor_shares{960, 0}));
}

TEST(descriptor_shares, leave_something_of_very_few) {
  EXPECT_EQ(share_descriptors(40, 0, 4), (descriptor_shares{20, 2}));
  EXPECT_EQ(share_descriptors(40, 100, 4), (descriptor_shares{30, 0}));
  EXPECT_EQ(share_descriptors(0, 0, 4), (descriptor_shares{1, 0}));
}

} // namespace troupe::tests::descriptor_shares_test

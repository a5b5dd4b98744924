#include "protocol/delivery/keep_alive.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::keep_alive_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {
constexpr time_point start{1h};
} // namespace

// HTML, server-sent events, "Authoring notes"
TEST(keep_alive, comments_when_it_was_silent_for_the_interval) {
  keep_alive s{15s, start};
  EXPECT_EQ(s.deadline(), start + 15s);
  EXPECT_EQ(s.tick(start), std::nullopt);
  EXPECT_EQ(s.tick(start + 15s - 1ns), std::nullopt);
  EXPECT_EQ(s.tick(start + 15s), ": keepalive\n\n");
}

TEST(keep_alive, comments_once_per_interval) {
  keep_alive s{15s, start};
  s.tick(start + 20s);
  EXPECT_EQ(s.deadline(), start + 35s);
  EXPECT_EQ(s.tick(start + 20s), std::nullopt);
  EXPECT_EQ(s.tick(start + 35s - 1ns), std::nullopt);
  EXPECT_EQ(s.tick(start + 35s), ": keepalive\n\n");
}

TEST(keep_alive, needs_no_comment_while_messages_flow) {
  keep_alive s{15s, start};
  s.spoke(start + 14s);
  EXPECT_EQ(s.deadline(), start + 29s);
  EXPECT_EQ(s.tick(start + 15s), std::nullopt);
  EXPECT_EQ(s.tick(start + 29s), ": keepalive\n\n");
}

} // namespace troupe::tests::keep_alive_test

#include "protocol/delivery/stream.hpp"

#include <gtest/gtest.h>

using namespace troupe::protocol;
using namespace std::chrono_literals;

namespace {
constexpr time_point start{1h};
} // namespace

// HTML, server-sent events, "Authoring notes"
TEST(stream, comments_when_it_was_silent_for_the_interval) {
  stream s{15s, start};
  EXPECT_EQ(s.deadline(), start + 15s);
  EXPECT_EQ(s.tick(start), std::nullopt);
  EXPECT_EQ(s.tick(start + 15s - 1ns), std::nullopt);
  EXPECT_EQ(s.tick(start + 15s), ": keepalive\n\n");
}

TEST(stream, comments_once_per_interval) {
  stream s{15s, start};
  s.tick(start + 20s);
  EXPECT_EQ(s.deadline(), start + 35s);
  EXPECT_EQ(s.tick(start + 20s), std::nullopt);
  EXPECT_EQ(s.tick(start + 35s - 1ns), std::nullopt);
  EXPECT_EQ(s.tick(start + 35s), ": keepalive\n\n");
}

TEST(stream, needs_no_comment_while_messages_flow) {
  stream s{15s, start};
  s.spoke(start + 14s);
  EXPECT_EQ(s.deadline(), start + 29s);
  EXPECT_EQ(s.tick(start + 15s), std::nullopt);
  EXPECT_EQ(s.tick(start + 29s), ": keepalive\n\n");
}

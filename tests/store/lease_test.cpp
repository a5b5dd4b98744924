#include "actors/lease.hpp"

#include <gtest/gtest.h>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

const protocol::time_point at{1h};

} // namespace

TEST(lease, does_not_hold_before_it_was_ever_extended) {
  actors::lease one;
  EXPECT_FALSE(one.holds(at));
  EXPECT_FALSE(one.holds(at, one.term()));
}

TEST(lease, holds_up_to_its_end_and_no_longer) {
  actors::lease one;
  one.extend(at);
  EXPECT_TRUE(one.holds(at - 1ns));
  EXPECT_FALSE(one.holds(at));
  EXPECT_FALSE(one.holds(at + 1ns));
}

TEST(lease, that_was_ended_and_runs_again_does_not_hold_for_what_was_before) {
  actors::lease one;
  one.extend(at);
  auto before = one.term();
  EXPECT_TRUE(one.holds(at - 1s, before));
  one.end();
  EXPECT_FALSE(one.holds(at - 1s));
  one.extend(at + 1s);
  EXPECT_TRUE(one.holds(at));
  EXPECT_FALSE(one.holds(at, before));
  EXPECT_TRUE(one.holds(at, one.term()));
}

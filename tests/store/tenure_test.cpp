#include "actors/cluster_state.hpp"

#include "tests/support/fake_redis.hpp"
#include "tests/support/store_node.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::tenure_test {

using namespace std::chrono_literals;

namespace {

const protocol::time_point at{1h};

} // namespace

TEST(tenure, does_not_hold_before_it_was_ever_extended) {
  actors::tenure one;
  EXPECT_FALSE(one.holds(at));
  EXPECT_FALSE(one.holds(at, one.term()));
}

TEST(tenure, holds_up_to_its_end_and_no_longer) {
  actors::tenure one;
  one.extend(at);
  EXPECT_TRUE(one.holds(at - 1ns));
  EXPECT_FALSE(one.holds(at));
  EXPECT_FALSE(one.holds(at + 1ns));
}

TEST(tenure, that_was_ended_and_runs_again_does_not_hold_for_what_was_before) {
  actors::tenure one;
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

/// The request was sent before this moment. Redis counts from its arrival.
TEST(tenure, is_counted_from_when_it_was_asked_for_and_not_from_the_answer) {
  constexpr auto time = 20s;
  fake_redis redis;
  store_node node{redis.url(), "a-1", {.tenure_time = time}};
  constexpr std::size_t connections = 3;
  redis.accept(connections);
  for (std::size_t i = 0; i < connections; ++i) {
    ASSERT_TRUE(redis.hears("SELECT"));
    redis.says("+OK\r\n");
  }
  ASSERT_TRUE(redis.hears("EVAL"));
  auto heard = net::io_thread::clock::now();
  EXPECT_TRUE(eventually([&] { return net::io_thread::clock::now() > heard + 50ms; }));
  EXPECT_FALSE(node.holds());
  redis.says("*1\r\n$4\r\ndone\r\n");
  ASSERT_TRUE(node.comes_to_hold());
  EXPECT_LE(node.ours->until(), heard + time * 9 / 10);
}

} // namespace troupe::tests::tenure_test

#include "actors/cluster_state.hpp"

#include "tests/support/fake_redis.hpp"
#include "tests/support/store_node.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::tenure_test {

using namespace std::chrono_literals;

namespace {

/// A tenure by a clock of the test.
struct tenure_tests : testing::Test {
  protocol::time_point at{1h};
  actors::tenure one{[this] { return at; }};
};

} // namespace

TEST_F(tenure_tests, does_not_hold_before_it_was_ever_extended) {
  EXPECT_FALSE(one.holds());
  EXPECT_FALSE(one.holds(one.term()));
}

TEST_F(tenure_tests, holds_up_to_its_end_and_no_longer) {
  one.extend(at + 2ns);
  EXPECT_TRUE(one.holds());
  at += 1ns;
  EXPECT_TRUE(one.holds());
  at += 1ns;
  EXPECT_FALSE(one.holds());
  at += 1ns;
  EXPECT_FALSE(one.holds());
}

TEST_F(tenure_tests, that_was_ended_and_runs_again_does_not_hold_for_what_was_before) {
  one.extend(at + 1s);
  auto before = one.term();
  EXPECT_TRUE(one.holds(before));
  one.end();
  EXPECT_FALSE(one.holds());
  one.extend(at + 2s);
  EXPECT_TRUE(one.holds());
  EXPECT_FALSE(one.holds(before));
  EXPECT_TRUE(one.holds(one.term()));
}

TEST_F(tenure_tests, keeps_sessions_of_the_store_before_only_for_a_while) {
  one.extend(at + 10s);
  auto before = one.term();
  one.move(at + 2s);
  EXPECT_TRUE(one.keeps(before));
  at += 2s;
  EXPECT_FALSE(one.keeps(before));
  EXPECT_TRUE(one.keeps(one.term()));
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
  auto heard = net::boot_clock::now();
  EXPECT_TRUE(eventually([&] { return net::boot_clock::now() > heard + 50ms; }));
  EXPECT_FALSE(node.holds());
  redis.says("*1\r\n$4\r\ndone\r\n");
  ASSERT_TRUE(node.comes_to_hold());
  EXPECT_LE(node.ours->until(), heard + time * 9 / 10);
}

} // namespace troupe::tests::tenure_test

#include "net/server/connections.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::connection_order_test {

using namespace net;
using namespace std::chrono_literals;
using enum connection_activity;

namespace {

struct order_test : testing::Test {
  io_thread::clock::time_point now = io_thread::clock::now();
  connection_order order;
  connection_order::place a, b, c;

  order_test() {
    for (auto* one : {&a, &b, &c})
      order.add(*one, now += 1s);
  }
  void move(connection_order::place& one, connection_activity to) { order.move(one, to, now += 1s); }
};

} // namespace

TEST_F(order_test, has_the_oldest_make_room_first) {
  EXPECT_EQ(order.first(), &a);
  order.remove(a);
  EXPECT_EQ(order.first(), &b);
}

TEST_F(order_test, has_one_make_room_first_that_had_no_request) {
  move(a, busy);
  move(a, idle);
  EXPECT_EQ(order.first(), &b);
  order.remove(b);
  EXPECT_EQ(order.first(), &c);
  order.remove(c);
  EXPECT_EQ(order.first(), &a);
}

TEST_F(order_test, has_one_make_room_last_whose_request_has_begun) {
  for (auto* one : {&a, &b, &c})
    move(*one, idle);
  move(a, receiving);
  EXPECT_EQ(order.first(), &b);
  move(b, busy);
  EXPECT_EQ(order.first(), &c);
  move(c, busy);
  EXPECT_EQ(order.first(), &a);
}

TEST_F(order_test, has_nobody_make_room_who_is_busy) {
  for (auto* one : {&a, &b, &c})
    move(*one, busy);
  EXPECT_EQ(order.first(), nullptr);
  EXPECT_EQ(order.first_rank(), connection_order::no_rank);
  EXPECT_FALSE(order.empty());
}

TEST_F(order_test, counts_the_time_since_the_last_request) {
  for (auto* one : {&a, &b, &c})
    move(*one, idle);
  move(a, busy);
  move(a, idle);
  EXPECT_EQ(order.first(), &b);
  move(b, idle); // it is already idle
  EXPECT_EQ(order.first(), &b);
}

TEST_F(order_test, can_be_compared_with_that_of_another_thread) {
  connection_order other;
  connection_order::place d;
  other.add(d, now += 1s);
  EXPECT_LT(order.first_rank(), other.first_rank());
  for (auto* one : {&a, &b, &c})
    move(*one, idle);
  EXPECT_LT(other.first_rank(), order.first_rank());
  other.remove(d);
  EXPECT_EQ(other.first_rank(), connection_order::no_rank);
  EXPECT_TRUE(other.empty());
}

TEST_F(order_test, tells_since_when_the_one_is_busy_that_began_first) {
  const auto none = io_thread::clock::time_point::max();
  EXPECT_EQ(order.busy_since(), none);
  move(b, busy);
  const auto first = now;
  move(a, busy);
  EXPECT_EQ(order.busy_since(), first);
  move(b, idle);
  EXPECT_EQ(order.busy_since(), now - 1s);
  order.remove(a);
  EXPECT_EQ(order.busy_since(), none);
}

} // namespace troupe::tests::connection_order_test

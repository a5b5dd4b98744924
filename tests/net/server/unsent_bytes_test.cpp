#include "net/server/connections.hpp"

#include <gtest/gtest.h>

#include <string>

namespace troupe::tests::unsent_bytes_test {

using namespace net;
using namespace std::chrono_literals;

namespace {

struct unsent_bytes_test : testing::Test {
  io_thread::clock::time_point now = io_thread::clock::now();
  std::shared_ptr<unsent_bytes> budget = std::make_shared<unsent_bytes>(1000);
  std::string dropped;

  auto begin(const std::string& name) {
    return budget->begin([this, name] { dropped += name; }, now);
  }
};

} // namespace

TEST_F(unsent_bytes_test, drops_nobody_up_to_the_limit) {
  auto a = begin("a"), b = begin("b");
  a->hold(600, now);
  for (std::size_t bytes : {399, 400}) {
    b->hold(bytes, now);
    EXPECT_EQ(budget->held(), 600 + bytes);
    EXPECT_EQ(dropped, "");
  }
  b->hold(401, now);
  EXPECT_EQ(dropped, "a");
  EXPECT_EQ(budget->held(), 401u);
}

TEST_F(unsent_bytes_test, gives_back_what_one_held) {
  auto a = begin("a"), b = begin("b");
  a->hold(1000, now);
  a->hold(300, now);
  EXPECT_EQ(budget->held(), 300u);
  a.reset();
  EXPECT_EQ(budget->held(), 0u);
  b->hold(1000, now);
  EXPECT_EQ(dropped, "");
}

TEST_F(unsent_bytes_test, drops_one_that_holds_more_than_all_may) {
  auto a = begin("a"), b = begin("b");
  a->hold(10, now);
  b->hold(1001, now);
  EXPECT_EQ(dropped, "b");
  EXPECT_EQ(budget->held(), 10u);
}

TEST_F(unsent_bytes_test, drops_as_many_as_it_takes_and_each_once) {
  auto a = begin("a"), b = begin("b");
  a->hold(500, now);
  b->hold(400, now);
  now += 1s;
  auto c = begin("c");
  c->hold(900, now);
  EXPECT_EQ(dropped, "ab");
  EXPECT_EQ(budget->held(), 900u);
}

TEST_F(unsent_bytes_test, drops_who_has_held_much_for_long_before_who_has_just_begun) {
  auto slow = begin("s");
  slow->hold(500, now);
  now += 10s;
  auto fresh = begin("f");
  fresh->hold(501, now);
  EXPECT_EQ(dropped, "s");
}

TEST_F(unsent_bytes_test, drops_who_holds_much_before_who_has_long_held_little) {
  auto little = begin("l");
  little->hold(1, now);
  now += 10s;
  auto much = begin("m"), other = begin("o");
  much->hold(900, now);
  now += 1s;
  other->hold(100, now);
  EXPECT_EQ(dropped, "m");
}

TEST_F(unsent_bytes_test, ignores_what_a_dropped_one_says_later) {
  auto a = begin("a");
  a->hold(1001, now);
  a->hold(500, now);
  EXPECT_EQ(budget->held(), 0u);
  a.reset();
  EXPECT_EQ(budget->held(), 0u);
  EXPECT_EQ(dropped, "a");
}

} // namespace troupe::tests::unsent_bytes_test

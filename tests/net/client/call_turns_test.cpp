#include "net/client/http_client_pool.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::call_turns_test {

using namespace net;

namespace {

using answer = call_turns::answer;
using numbers = std::vector<call_turns::number>;

/// Three calls may run. Each user may have two waiting calls with ten bytes; all users together twice as much.
struct three_running {
  call_turns it{{.running = 3, .waiting = 2, .bytes = 10, .full_users = 2}};
  call_turns::user one, other, third;

  void fill(call_turns::user& whose) {
    for (call_turns::number call = 1; call <= 3; ++call)
      EXPECT_EQ(it.asks(whose, call, 1), answer::begins);
  }
};

} // namespace

TEST(call_turns, let_so_many_calls_run_at_a_time) {
  three_running t;
  t.fill(t.one);
  EXPECT_EQ(t.it.asks(t.one, 4, 1), answer::waits);
  EXPECT_EQ(t.it.running(), 3u);
  EXPECT_EQ(t.it.ended(t.one), (numbers{4}));
  EXPECT_EQ(t.it.ended(t.one), numbers{});
  EXPECT_EQ(t.it.running(), 2u);
  EXPECT_EQ(t.it.asks(t.one, 5, 1), answer::begins);
}

TEST(call_turns, never_let_the_first_call_of_a_user_wait) {
  three_running t;
  t.fill(t.one);
  EXPECT_EQ(t.it.asks(t.other, 4, 1), answer::begins);
  EXPECT_EQ(t.it.asks(t.other, 5, 1), answer::waits);
  EXPECT_EQ(t.it.ended(t.one), numbers{});
  EXPECT_EQ(t.it.ended(t.other), (numbers{5}));
}

TEST(call_turns, are_taken_by_the_users_in_turn) {
  three_running t;
  t.fill(t.one);
  EXPECT_EQ(t.it.asks(t.one, 4, 1), answer::waits);
  EXPECT_EQ(t.it.asks(t.one, 5, 1), answer::waits);
  EXPECT_EQ(t.it.asks(t.other, 6, 1), answer::begins);
  EXPECT_EQ(t.it.asks(t.other, 7, 1), answer::waits);
  numbers begun;
  for (auto ended = 0; ended < 4; ++ended)
    for (auto call : t.it.ended(t.one))
      begun.push_back(call);
  EXPECT_EQ(begun, (numbers{4, 7, 5}));
}

TEST(call_turns, put_a_call_that_goes_on_before_those_that_have_not_begun) {
  three_running t;
  t.fill(t.one);
  t.it.asks(t.one, 4, 1);
  EXPECT_EQ(t.it.asks(t.one, 5, 1, true), answer::waits);
  EXPECT_EQ(t.it.ended(t.one), (numbers{5}));
}

TEST(call_turns, let_so_many_calls_of_a_user_wait) {
  three_running t;
  t.fill(t.one);
  EXPECT_EQ(t.it.asks(t.one, 4, 1), answer::waits);
  EXPECT_EQ(t.it.asks(t.one, 5, 1), answer::waits);
  EXPECT_EQ(t.it.asks(t.one, 6, 1), answer::refused);
  t.it.remove_waiting(t.one, 4);
  EXPECT_EQ(t.it.asks(t.one, 7, 1), answer::waits);
  EXPECT_EQ(t.it.ended(t.one), (numbers{5}));
}

TEST(call_turns, let_so_many_bytes_of_a_user_wait) {
  three_running t;
  t.fill(t.one);
  EXPECT_EQ(t.it.asks(t.one, 4, 1), answer::waits);
  EXPECT_EQ(t.it.asks(t.one, 5, 10), answer::refused);
  EXPECT_EQ(t.it.asks(t.one, 6, 9), answer::waits);
}

TEST(call_turns, let_the_first_that_waits_have_any_size) {
  three_running t;
  t.fill(t.one);
  EXPECT_EQ(t.it.asks(t.one, 4, 20), answer::waits);
  t.it.remove_waiting(t.one, 4);
  EXPECT_EQ(t.it.asks(t.one, 5, 21), answer::refused) << "that is more than all may have waiting";
}

TEST(call_turns, bound_what_all_users_have_waiting) {
  three_running t;
  t.fill(t.one);
  for (auto whose : {&t.one, &t.other}) {
    t.it.asks(*whose, 10, 1);
    t.it.asks(*whose, 11, 1);
    t.it.asks(*whose, 12, 1);
  }
  EXPECT_EQ(t.it.waiting(), 4u);
  EXPECT_EQ(t.it.asks(t.third, 20, 1), answer::begins);
  EXPECT_EQ(t.it.asks(t.third, 21, 1), answer::refused);
  t.it.remove_waiting(t.one, 10);
  EXPECT_EQ(t.it.asks(t.third, 22, 1), answer::waits);
}

TEST(call_turns, forget_a_call_that_is_given_up) {
  three_running t;
  t.fill(t.one);
  t.it.asks(t.one, 4, 1);
  t.it.remove_waiting(t.one, 4);
  t.it.remove_waiting(t.one, 4);
  EXPECT_EQ(t.it.ended(t.one), numbers{});
  EXPECT_EQ(t.it.waiting(), 0u);
}

} // namespace troupe::tests::call_turns_test

#include "net/server/thread_preference.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::thread_preference_test {

using namespace net;

namespace {

void request_for(thread_preference& of, std::size_t thread, std::size_t times = 1) {
  for (std::size_t i = 0; i < times; ++i) {
    of.begin();
    of.tell(thread);
  }
}

} // namespace

TEST(thread_preference, is_for_another_thread_after_so_many_requests_in_a_row) {
  thread_preference one;
  request_for(one, 2, thread_preference::requests - 1);
  EXPECT_FALSE(one.better());
  request_for(one, 2);
  EXPECT_EQ(one.better(), 2u);
  request_for(one, 2);
  EXPECT_EQ(one.better(), 2u);
}

TEST(thread_preference, counts_from_anew_behind_a_request_for_what_lives_here) {
  thread_preference one;
  request_for(one, 2, thread_preference::requests - 1);
  one.begin();
  request_for(one, 2, thread_preference::requests - 1);
  EXPECT_FALSE(one.better());
  request_for(one, 2);
  EXPECT_EQ(one.better(), 2u);
}

TEST(thread_preference, is_for_here_behind_a_request_for_what_lives_here) {
  thread_preference one;
  request_for(one, 2, thread_preference::requests);
  one.begin();
  EXPECT_FALSE(one.better());
}

TEST(thread_preference, counts_from_anew_behind_a_request_for_a_third_thread) {
  thread_preference one;
  request_for(one, 2, thread_preference::requests - 1);
  request_for(one, 1);
  request_for(one, 2, thread_preference::requests - 1);
  EXPECT_FALSE(one.better());
  request_for(one, 2);
  EXPECT_EQ(one.better(), 2u);
}

} // namespace troupe::tests::thread_preference_test

// Signs that the processes of a handover give each other.

#include "protocol/handover/process_watch.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::process_watch_test {

using namespace protocol;
using namespace std::chrono_literals;

TEST(a_process_watch, gives_a_process_up_after_the_limit_of_silence) {
  auto now = time_point{1h};
  process_watch watch{now};
  for (auto silence = process_watch::interval; silence < process_watch::limit; silence += process_watch::interval)
    EXPECT_FALSE(watch.tick(now += process_watch::interval));
  EXPECT_EQ(watch.due(), now + process_watch::interval);
  EXPECT_TRUE(watch.tick(now + process_watch::interval));
}

TEST(a_process_watch, gives_no_process_up_while_sessions_end_in_one_that_stops) {
  auto now = time_point{1h};
  process_watch watch{now};
  EXPECT_TRUE(watch.sign_off());
  EXPECT_FALSE(watch.sign_off()) << "the other one is notified once";
  for (auto silence = process_watch::interval; silence <= process_watch::limit; silence += process_watch::interval)
    EXPECT_FALSE(watch.tick(now += process_watch::interval));
  watch.sessions_ended();
  EXPECT_TRUE(watch.tick(now + process_watch::interval));
}

TEST(a_process_watch, begins_again_with_each_sign) {
  auto now = time_point{1h};
  process_watch watch{now};
  for (int count = 0; count < 100; ++count) {
    EXPECT_FALSE(watch.tick(now += process_watch::interval));
    if (count % 9 == 0)
      watch.heard();
  }
}

TEST(a_process_watch, does_not_count_its_own_pauses) {
  auto now = time_point{1h};
  process_watch watch{now};
  EXPECT_FALSE(watch.tick(now += 1h));
  EXPECT_FALSE(watch.tick(now += 1h));
  EXPECT_FALSE(watch.tick(now += process_watch::interval));
}

TEST(a_sign, is_read_as_it_was_written) {
  for (const auto sign : {peer_sign::alive, peer_sign::leaves})
    EXPECT_EQ(read_sign(sign_frame(sign)), sign);
  EXPECT_FALSE(read_sign(""));
  EXPECT_FALSE(read_sign(sign_frame(peer_sign::alive) + "x"));
  for (char first = 0; first < 4; ++first)
    EXPECT_FALSE(read_sign(std::string(1, first))) << "a request or an answer";
}

} // namespace troupe::tests::process_watch_test

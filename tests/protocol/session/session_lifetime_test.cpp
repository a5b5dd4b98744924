// Time limits of a session and its calls.

#include "protocol/session/session_limits.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::session_lifetime_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

constexpr time_point start{1h};
constexpr session_limits limits{.idle = 10min, .initialize = 30s};
constexpr session_lifetime::use fresh{.is_fresh = true};
constexpr session_lifetime::use busy{.is_busy = true};
constexpr session_lifetime::use unused{};

} // namespace

TEST(session_limits, raise_the_cap_for_a_server_whose_calls_may_take_longer) {
  auto shorter = session_limits{.request_cap = 30min}.with_request(20min);
  EXPECT_EQ(shorter.request, 20min);
  EXPECT_EQ(shorter.request_cap, 30min);
  EXPECT_EQ(session_limits{.request_cap = 30min}.with_request(31min).request_cap, 31min);
}

TEST(session_lifetime, is_over_when_nobody_initializes_however_busy_the_client_is) {
  session_lifetime it{start};
  for (auto of : {fresh, session_lifetime::use{true, true}}) {
    EXPECT_EQ(it.expired(of, limits, start + 30s - 1ns), std::nullopt);
    EXPECT_EQ(it.expired(of, limits, start + 30s), "its client did not initialize it");
    EXPECT_EQ(it.deadline(of, limits), start + 30s);
  }
}

TEST(session_lifetime, is_over_when_it_was_idle_since_it_was_last_used) {
  session_lifetime it{start};
  it.touch(start + 1min);
  EXPECT_EQ(it.expired(unused, limits, start + 11min - 1ns), std::nullopt);
  EXPECT_EQ(it.expired(unused, limits, start + 11min), "it was idle");
  EXPECT_EQ(it.deadline(unused, limits), start + 11min);
}

TEST(session_lifetime, is_over_sooner_when_its_client_is_gone_without_a_word) {
  constexpr session_limits both{.idle = 10min, .abandoned = 5min};
  session_lifetime it{start};
  it.abandon();
  EXPECT_EQ(it.expired(unused, both, start + 5min - 1ns), std::nullopt);
  EXPECT_EQ(it.expired(unused, both, start + 5min), "its client lost its stream and did not come back");
  EXPECT_EQ(it.deadline(unused, both), start + 5min);
  it.touch(start + 1min);
  EXPECT_EQ(it.deadline(unused, both), start + 6min);
  EXPECT_EQ(it.deadline(busy, both), time_point::max());
  it.note_use(start + 2min);
  EXPECT_EQ(it.deadline(unused, both), start + 12min);
}

TEST(session_lifetime, of_who_is_gone_is_never_longer_than_that_of_others) {
  for (auto idle : {5min - 1ms, std::chrono::milliseconds{5min}}) {
    session_lifetime it{start};
    it.abandon();
    EXPECT_EQ(it.deadline(unused, {.idle = idle, .abandoned = 5min}), start + idle);
  }
}

TEST(session_lifetime, has_no_end_while_it_is_busy) {
  session_lifetime it{start};
  EXPECT_EQ(it.expired(busy, limits, start + 1000h), std::nullopt);
  EXPECT_EQ(it.deadline(busy, limits), time_point::max());
}

TEST(session_lifetime, ends_at_whichever_comes_first) {
  session_lifetime it{start};
  EXPECT_EQ(it.deadline(fresh, {.idle = 10s, .initialize = 30s}), start + 10s);
  EXPECT_EQ(it.expired(fresh, {.idle = 10s, .initialize = 30s}, start + 10s), "it was idle");
}

TEST(session_lifetime, is_late_once_the_grace_of_its_end_is_over) {
  session_lifetime it{start};
  it.close({}, start);
  EXPECT_EQ(it.deadline(busy, limits), time_point::max());
  it.close({.grace = 5s}, start);
  it.close({}, start + 1s);
  EXPECT_EQ(it.deadline(busy, limits), start + 5s);
  EXPECT_FALSE(it.is_late(start + 5s - 1ns));
  EXPECT_TRUE(it.is_late(start + 5s));
  it.close({.at_once = true}, start + 5s);
  EXPECT_FALSE(it.is_late(start + 5s)) << "it is cut off once";
}

TEST(session_lifetime, stays_closed_for_good_whatever_is_said_later) {
  session_lifetime it{start};
  EXPECT_EQ(it.closing(), std::nullopt);
  it.close({.why = "removed", .for_good = true}, start);
  it.close({}, start);
  EXPECT_EQ(it.closing(), "the gateway is stopping");
  EXPECT_TRUE(it.is_for_good());
  EXPECT_FALSE(it.is_over());
}

} // namespace troupe::tests::session_lifetime_test

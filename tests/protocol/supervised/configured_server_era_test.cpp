// The time for which the gateway relies on a server's detected era.

#include "protocol/supervised/configured_server.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::configured_server_era_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

constexpr time_point start{1h};
const configured_server_effects nothing;

} // namespace

TEST(configured_server_era, is_tried_again_after_growing_pauses_when_the_modern_one_was_not_refused) {
  configured_server it{{}};
  it.begin(start);
  auto now = start;
  for (std::chrono::seconds pause : {30s, 60s, 120s, 240s, 480s, 960s, 1920s, 3600s, 3600s}) {
    EXPECT_EQ(it.era_found(server_era::session, now, true), nothing);
    EXPECT_EQ(it.known_era(now + pause - 1ns), server_era::session);
    EXPECT_EQ(it.known_era(now += pause), server_era::automatic);
  }
}

// All callers that begin during a second of outage are affected by it.
TEST(configured_server_era, is_one_doubt_for_all_who_meet_it_at_once) {
  configured_server it{{}};
  it.begin(start);
  for (auto i = 0; i < 8; ++i)
    it.era_found(server_era::session, start + i * 1s, true);
  EXPECT_EQ(it.known_era(start + 30s - 1ns), server_era::session);
  EXPECT_EQ(it.known_era(start + 30s), server_era::automatic);
}

TEST(configured_server_era, is_in_doubt_for_a_short_time_again_when_the_last_doubt_is_long_ago) {
  configured_server it{{}};
  it.begin(start);
  it.era_found(server_era::session, start, true);
  it.era_found(server_era::session, start + 30s, true);
  const auto later = start + 90s + 1h;
  it.era_found(server_era::session, later, true);
  EXPECT_EQ(it.known_era(later + 30s), server_era::automatic);
}

TEST(configured_server_era, is_in_doubt_no_more_once_the_server_has_answered) {
  for (auto found : {server_era::stateless, server_era::session}) {
    configured_server it{{}};
    it.begin(start);
    for (auto i = 0; i < 5; ++i)
      it.era_found(server_era::session, start, true);
    it.era_found(found, start);
    it.era_found(server_era::session, start, true);
    EXPECT_EQ(it.known_era(start + 30s - 1ns), server_era::session);
    EXPECT_EQ(it.known_era(start + 30s), server_era::automatic);
  }
}

TEST(configured_server_era, in_doubt_takes_nothing_from_those_who_share_the_server) {
  configured_server it{{.shares_modern = true}};
  it.wanted_alone(0, {}, start);
  EXPECT_TRUE(it.greeted(true, start));
  EXPECT_EQ(it.era_found(server_era::session, start, true), nothing);
}

} // namespace troupe::tests::configured_server_era_test

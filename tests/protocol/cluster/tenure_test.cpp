// The time during which a node may consider its sessions in the store its own.

#include "protocol/cluster/tenure.hpp"
#include "tests/support/store_driver.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::tenure_test {

namespace {

using verdict = store_verdict;

/// A tenure of ten seconds: the node relies on it for nine, and renews it every two.
struct node {
  lines reached(store_connection by, time_point now = begun) { return lines_of(it.reached(by, now)); }
  lines lost(store_connection by, time_point now) { return lines_of(it.lost(by, "gone", now)); }
  lines answered(verdict is, time_point now) { return lines_of(it.answered({is}, now)); }
  lines refused(time_point now) { return lines_of(it.refused(now)); }
  lines tick(time_point now) { return lines_of(it.tick(now)); }

  /// All connections reach the store, and were checked at that time.
  void reach_all(time_point now = begun) {
    it.reached(store_connection::writes, now);
    it.reached(store_connection::searches, now);
    it.reached(store_connection::tenure, now);
  }
  /// The tenure was requested at the start of the test, and is held.
  void hold() {
    reach_all();
    it.answered({verdict::done}, begun);
  }

  tenure it{10s};
};

constexpr auto believed = 9s;
const std::string is_reached = "note the store is reached";
const std::string is_lost = "note the store is lost why=gone";
const std::string ended = "note the store may take this node for lost: sessions that it keeps wait here";
const std::string has_lost = "note the store has lost data: this node claims its sessions again";
const std::string again = "note the store knows again that this node lives";

} // namespace

// -- requests --------------------------------------------------------------------------------

TEST(tenure, is_asked_for_when_the_store_is_reached_by_all_ways_in_any_order) {
  node a;
  EXPECT_EQ(a.reached(store_connection::tenure), lines{});
  EXPECT_EQ(a.reached(store_connection::searches), lines{});
  EXPECT_EQ(a.tick(begun), lines{});
  EXPECT_EQ(a.it.deadline(), time_point::max());
  EXPECT_EQ(a.reached(store_connection::writes), (lines{is_reached, "renew"}));
  node b;
  b.reached(store_connection::writes);
  b.reached(store_connection::searches);
  EXPECT_EQ(b.reached(store_connection::tenure), (lines{is_reached, "renew"}));
}

TEST(tenure, is_asked_for_once_until_the_answer) {
  node a;
  a.reach_all();
  EXPECT_EQ(a.it.deadline(), time_point::max());
  EXPECT_EQ(a.tick(begun + 1min), lines{});
  EXPECT_EQ(a.refused(begun + 1min), lines{});
  EXPECT_EQ(a.lost(store_connection::searches, begun + 1min), lines{is_lost});
  EXPECT_EQ(a.reached(store_connection::searches, begun + 1min), lines{is_reached});
}

TEST(tenure, is_renewed_after_a_fifth_of_its_time) {
  node a;
  a.hold();
  EXPECT_EQ(a.it.deadline(), begun + 2s);
  EXPECT_EQ(a.tick(begun + 2s - 1ns), lines{});
  EXPECT_EQ(a.tick(begun + 2s), lines{"renew"});
  EXPECT_EQ(a.it.deadline(), begun + believed);
  a.answered(verdict::done, begun + 3s);
  EXPECT_EQ(a.tick(begun + 4s - 1ns), lines{});
  EXPECT_EQ(a.tick(begun + 4s + 1ns), lines{"renew"});
}

TEST(tenure, is_asked_for_again_a_fifth_of_its_time_after_it_was_when_that_failed_or_was_lost) {
  for (auto is : {verdict::failed, verdict::lost}) {
    node a;
    a.reach_all();
    EXPECT_EQ(a.answered(is, begun + 1s), lines{});
    EXPECT_EQ(a.tick(begun + 2s - 1ns), lines{});
    EXPECT_EQ(a.tick(begun + 2s), lines{"renew"});
  }
}

TEST(tenure, is_renewed_without_other_ways_only_while_it_runs) {
  node a;
  a.hold();
  EXPECT_EQ(a.lost(store_connection::searches, begun + 1s), (lines{is_lost, "renew"}));
  EXPECT_EQ(a.answered(verdict::done, begun + 1s), lines{"extend until 10000"});
  EXPECT_EQ(a.tick(begun + 3s), lines{"renew"});
  a.answered(verdict::lost, begun + 3s);
  EXPECT_EQ(a.tick(begun + 10s), (lines{"end", ended}));
  EXPECT_EQ(a.it.deadline(), time_point::max());
  EXPECT_EQ(a.reached(store_connection::searches, begun + 11s), (lines{is_reached, "renew"}));
}

TEST(tenure, is_not_asked_for_without_its_own_way_and_at_once_when_that_is_there_again) {
  node a;
  a.hold();
  EXPECT_EQ(a.lost(store_connection::tenure, begun + 1s), lines{is_lost});
  EXPECT_EQ(a.tick(begun + 5s), lines{});
  EXPECT_EQ(a.it.deadline(), begun + believed);
  EXPECT_EQ(a.reached(store_connection::tenure, begun + 5s), (lines{is_reached, "renew"}));
}

TEST(tenure, is_asked_for_at_once_when_a_write_was_refused_for_want_of_it) {
  node a;
  a.hold();
  EXPECT_EQ(a.refused(begun + 1ns), lines{"renew"});
  EXPECT_EQ(a.refused(begun + 2ns), lines{});
}

// -- duration --------------------------------------------------------------------------------

TEST(tenure, does_not_run_before_the_store_has_confirmed_it) {
  node a;
  EXPECT_FALSE(a.it.is_held());
  a.reach_all();
  EXPECT_FALSE(a.it.is_held());
  for (auto is : {verdict::failed, verdict::lost, verdict::foreign, verdict::unknown, verdict::busy}) {
    EXPECT_EQ(a.answered(is, begun), lines{});
    EXPECT_FALSE(a.it.is_held());
    a.it.tick(begun + 2s);
  }
}

TEST(tenure, goes_on_in_a_store_that_has_lost_data_and_claims_its_sessions_at_once) {
  for (auto is : {verdict::emptied, verdict::moved}) {
    node a;
    a.reach_all();
    EXPECT_EQ(a.answered(verdict::emptied, begun), lines{"extend until 9000"}) << "it runs for the first time";
    a.it.tick(begun + 2s);
    EXPECT_EQ(a.answered(is, begun + 3s),
              (lines{"move until 15500", has_lost, "claim in a new store what was held", "extend until 11000"}));
    EXPECT_TRUE(a.it.is_held());
  }
}

/// Nodes that have taken a session, and have seen its end, need time to notify this one: no store knows of it.
TEST(tenure, claims_sessions_of_an_ended_tenure_later_in_a_store_that_has_lost_data_twice) {
  node a;
  a.hold();
  a.tick(begun + 9s);
  EXPECT_EQ(a.answered(verdict::moved, begun + 9s), (lines{"extend until 18000", again}));
  a.tick(begun + 11s);
  EXPECT_EQ(a.answered(verdict::moved, begun + 11s),
            (lines{"move until 24500", has_lost, "claim in a new store what was held", "extend until 20000"}));
  for (auto now = 13s; now < 38s; now += 2s) {
    a.tick(begun + now);
    a.answered(verdict::done, begun + now);
  }
  EXPECT_EQ(a.tick(begun + 38s - 1ns), lines{});
  EXPECT_EQ(a.tick(begun + 38s), lines{"claim in a new store"});
}

TEST(tenure, waits_as_long_again_with_such_claims_if_it_ends_before_them) {
  node a;
  a.hold();
  a.tick(begun + 9s);
  a.answered(verdict::emptied, begun + 9s);
  a.tick(begun + 11s);
  a.answered(verdict::emptied, begun + 11s);
  EXPECT_EQ(a.tick(begun + 50s), (lines{"end", ended, "renew"}));
  a.answered(verdict::lapsed, begun + 50s);
  for (auto now = 52s; now < 77s; now += 2s) {
    EXPECT_EQ(a.tick(begun + now), lines{"renew"});
    a.answered(verdict::done, begun + now);
  }
  EXPECT_EQ(a.tick(begun + 77s), lines{"claim in a new store"});
}

TEST(tenure, sends_its_last_sight_of_the_store_with_each_renewal) {
  node a;
  a.reach_all();
  EXPECT_EQ(a.it.seen(), store_sight{});
  a.it.answered({verdict::emptied, {}, 0, "one"}, begun);
  EXPECT_EQ(a.it.seen(), (store_sight{"one", 1}));
  auto asked = a.it.tick(begun + 2s);
  EXPECT_EQ(asked, (store_effects{renew_tenure{2, {"one", 1}, 1}}));
  a.answered(verdict::lost, begun + 3s);
  EXPECT_EQ(a.it.tick(begun + 4s), (store_effects{renew_tenure{3, {"one", 1}, 1}})) << "the second may have arrived";
  a.it.answered({verdict::moved, {}, 0, "other"}, begun + 4s);
  EXPECT_EQ(a.it.seen(), (store_sight{"other", 3}));
}

TEST(tenure, renews_for_the_last_connection_for_writes) {
  node a;
  a.reach_all();
  a.answered(verdict::done, begun);
  for (auto by : {store_connection::tenure, store_connection::writes, store_connection::searches}) {
    a.it.lost(by, "gone", begun);
    a.it.reached(by, begun);
  }
  EXPECT_EQ(a.it.writer(), 2u);
  a.answered(verdict::done, begun + 1s);
  EXPECT_EQ(a.it.tick(begun + 3s), (store_effects{renew_tenure{3, {"", 2}, 2}}));
}

TEST(tenure, lets_claim_at_once_what_was_ours_before_it_was_interrupted) {
  node a;
  a.hold();
  EXPECT_EQ(a.tick(begun + 9s), (lines{"end", ended, "renew"}));
  EXPECT_EQ(a.answered(verdict::lapsed, begun + 9s), (lines{"extend until 18000", again, "claim again"}));
}

TEST(tenure, lets_claim_in_an_empty_store_after_all_who_may_have_held_theirs) {
  node a;
  a.hold();
  a.tick(begun + 9s);
  EXPECT_EQ(a.answered(verdict::emptied, begun + 9s), (lines{"extend until 18000", again}));
  for (auto now : {11s, 13s, 15s, 17s, 19s, 21s}) {
    a.tick(begun + now);
    a.answered(verdict::done, begun + now);
  }
  EXPECT_EQ(a.it.deadline(), begun + 9s + 12500ms);
  EXPECT_EQ(a.tick(begun + 21500ms - 1ns), lines{});
  EXPECT_EQ(a.tick(begun + 21500ms), lines{"claim in a new store"});
  EXPECT_EQ(a.tick(begun + 22s), lines{});
}

/// A node that has taken a session since must have time to notify this one.
TEST(tenure, lets_claim_later_again_if_it_ends_before_the_claims_in_an_empty_store) {
  node a;
  a.hold();
  a.tick(begun + 9s);
  a.answered(verdict::emptied, begun + 9s);
  EXPECT_EQ(a.tick(begun + 30s), (lines{"end", ended, "renew"}));
  EXPECT_EQ(a.answered(verdict::lapsed, begun + 30s), (lines{"extend until 39000", again}));
  EXPECT_EQ(a.it.deadline(), begun + 32s);
  for (auto now : {32s, 34s, 36s, 38s, 40s, 42s}) {
    EXPECT_EQ(a.tick(begun + now), lines{"renew"});
    a.answered(verdict::done, begun + now);
  }
  EXPECT_EQ(a.tick(begun + 42500ms - 1ns), lines{});
  EXPECT_EQ(a.tick(begun + 42500ms), lines{"claim in a new store"});
}

TEST(tenure, is_counted_from_when_it_was_asked_for_and_a_tenth_shorter) {
  node a;
  a.reach_all();
  EXPECT_EQ(a.answered(verdict::done, begun + 5s), lines{"extend until 9000"});
}

TEST(tenure, that_is_confirmed_too_late_does_not_run) {
  for (auto late : {believed - 1ns, believed + 0ns, believed + 1ns}) {
    node a;
    a.reach_all();
    auto seen = a.answered(verdict::done, begun + late);
    EXPECT_EQ(a.it.is_held(), late < believed);
    EXPECT_EQ(seen, late < believed ? lines{"extend until 9000"} : lines{});
    EXPECT_EQ(a.tick(begun + late), lines{"renew"});
  }
}

TEST(tenure, ends_at_its_time_and_not_before) {
  for (auto late : {believed - 1ns, believed + 0ns, believed + 1ns}) {
    node a;
    a.hold();
    a.it.lost(store_connection::tenure, "gone", begun + 1s);
    auto seen = a.tick(begun + late);
    EXPECT_EQ(a.it.is_held(), late < believed);
    EXPECT_EQ(seen, late < believed ? lines{} : (lines{"end", ended}));
    EXPECT_EQ(a.tick(begun + late), lines{}) << "it ends once";
  }
}

TEST(tenure, that_ended_before_its_renewal_was_heard_of_has_ended_although_it_runs_again) {
  node a;
  a.hold();
  a.tick(begun + 8s);
  EXPECT_EQ(a.answered(verdict::done, begun + believed - 1ns), lines{"extend until 17000"});
  node b;
  b.hold();
  b.tick(begun + 8s);
  EXPECT_EQ(b.answered(verdict::done, begun + believed),
            (lines{"end", ended, "extend until 17000", again, "claim again"}));
}

/// Other nodes may have taken sessions in between.
TEST(tenure, that_had_run_out_in_the_store_before_it_was_renewed_has_ended) {
  node a;
  a.hold();
  a.tick(begun + 2s);
  EXPECT_EQ(a.answered(verdict::lapsed, begun + 2s), (lines{"end", ended, "extend until 11000", again, "claim again"}));
  EXPECT_TRUE(a.it.is_held());
}

TEST(tenure, that_did_not_run_here_either_begins_as_any_other) {
  node a;
  a.reach_all();
  EXPECT_EQ(a.answered(verdict::lapsed, begun), lines{"extend until 9000"});
}

TEST(tenure, goes_on_when_a_renewal_fails_or_is_lost) {
  for (auto is : {verdict::failed, verdict::lost}) {
    node a;
    a.hold();
    a.tick(begun + 2s);
    EXPECT_EQ(a.answered(is, begun + 3s), lines{});
    EXPECT_TRUE(a.it.is_held());
    EXPECT_EQ(a.it.deadline(), begun + 4s);
    EXPECT_EQ(a.tick(begun + believed), (lines{"end", ended, "renew"}));
  }
}

// -- permission to write ---------------------------------------------------------------------

TEST(tenure, opens_the_way_for_writes_while_it_runs) {
  node a;
  a.reach_all();
  EXPECT_FALSE(a.it.is_open());
  a.answered(verdict::done, begun);
  EXPECT_TRUE(a.it.is_open());
  a.tick(begun + believed);
  EXPECT_FALSE(a.it.is_open());
}

/// The store that is writable again may be a different one, without the tenure.
TEST(tenure, opens_the_way_for_writes_again_only_when_it_was_asked_for_after_that_was_there) {
  node a;
  a.hold();
  EXPECT_EQ(a.lost(store_connection::writes, begun + 1s), (lines{is_lost, "renew"}));
  EXPECT_FALSE(a.it.is_open());
  EXPECT_EQ(a.reached(store_connection::writes, begun + 2s), lines{is_reached});
  EXPECT_EQ(a.answered(verdict::done, begun + 3s), (lines{"extend until 10000", "renew"}));
  EXPECT_FALSE(a.it.is_open());
  EXPECT_EQ(a.answered(verdict::done, begun + 4s), lines{"extend until 12000"});
  EXPECT_TRUE(a.it.is_open());
}

TEST(tenure, does_not_open_a_way_that_is_not_there) {
  node a;
  a.hold();
  a.lost(store_connection::writes, begun + 1s);
  EXPECT_EQ(a.answered(verdict::done, begun + 2s), lines{"extend until 10000"});
  EXPECT_FALSE(a.it.is_open());
}

// -- loss of the store -------------------------------------------------------------------------

TEST(tenure, may_soon_reach_a_store_that_was_lost_less_than_its_time_ago) {
  node a;
  EXPECT_TRUE(a.it.may_reach_soon(begun)) << "no connection was tried yet";
  a.lost(store_connection::tenure, begun);
  EXPECT_TRUE(a.it.may_reach_soon(begun + 10s - 1ns));
  EXPECT_FALSE(a.it.may_reach_soon(begun + 10s));
  a.reach_all(begun + 20s);
  EXPECT_TRUE(a.it.may_reach_soon(begun + 1h));
}

TEST(tenure, counts_how_long_the_store_is_lost_from_the_first_connection_to_the_last) {
  node a;
  a.reach_all();
  a.lost(store_connection::writes, begun + 30s);
  a.lost(store_connection::searches, begun + 35s);
  a.reached(store_connection::writes, begun + 36s);
  EXPECT_TRUE(a.it.may_reach_soon(begun + 40s - 1ns));
  EXPECT_FALSE(a.it.may_reach_soon(begun + 40s));
}

// -- log -------------------------------------------------------------------------------------

TEST(tenure, tells_the_log_once_that_the_store_is_lost_whichever_way_is) {
  node a;
  EXPECT_EQ(a.lost(store_connection::writes, begun), lines{is_lost});
  EXPECT_EQ(a.lost(store_connection::searches, begun), lines{});
  a.reach_all();
  EXPECT_EQ(a.lost(store_connection::searches, begun), lines{is_lost});
  EXPECT_EQ(a.lost(store_connection::tenure, begun), lines{});
  EXPECT_EQ(a.reached(store_connection::tenure), lines{});
  EXPECT_EQ(a.reached(store_connection::searches), lines{is_reached});
}

} // namespace troupe::tests::tenure_test

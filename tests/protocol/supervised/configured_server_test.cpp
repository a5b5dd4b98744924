#include "protocol/supervised/configured_server.hpp"

#include <gtest/gtest.h>

#include <string>

namespace troupe::tests::configured_server_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

constexpr time_point start{1h};
constexpr restart_limits limits{.first_delay = 500ms, .attempts = 2, .steady = 10s, .rest = 60s};
const sharing_rules own{.restarts = limits};
const sharing_rules shared{.shared = true, .restarts = limits};
const sharing_rules by_owner{.by_owner = true, .restarts = limits};
const sharing_rules by_era{.shares_modern = true, .restarts = limits};
const sharing_rules known_modern{.shares_modern = true, .is_modern = true, .restarts = limits};
const sharing_rules pool_of_two{.pool = 2, .units = 2, .restarts = limits};
const upstream_choice removed = refuse_user{"the MCP server was removed from the configuration"};
const configured_server_effects nothing;

upstream_choice resting(const std::string& seconds) {
  return refuse_user{"The MCP server does not start; the next try is in " + seconds};
}

/// A server with the maximum number of failed starts.
configured_server that_rests(sharing_rules rules = own) {
  configured_server it{rules};
  it.begin(start);
  for (std::size_t i = 0; i < limits.attempts; ++i)
    it.start_failed("it stumbled", 1s, start);
  return it;
}

/// A server with a filled pool: process 0 on unit 0, process 1 on unit 1.
configured_server with_pool() {
  configured_server it{pool_of_two};
  it.begin(start);
  it.tick(start);
  return it;
}

} // namespace

// -- users ---------------------------------------------------------------------------------

TEST(configured_server, gives_the_users_of_each_owner_one_upstream) {
  configured_server it{by_owner};
  EXPECT_EQ(it.begin(start), nothing);
  EXPECT_EQ(it.wanted_alone(0, "ann", start), (upstream_choice{give_shared{true, "ann"}}));
  EXPECT_EQ(it.wanted_lasting("ann", start), (upstream_choice{give_shared{false, "ann"}}));
  EXPECT_EQ(it.wanted_alone(0, "bob", start), (upstream_choice{give_shared{true, "bob"}}));
  EXPECT_EQ(it.wanted_alone(0, {}, start), upstream_choice{give_bare{}});
  EXPECT_EQ(it.wanted_lasting({}, start), upstream_choice{give_supervised{false}});
  it.shared_lost("ann");
  EXPECT_EQ(it.wanted_alone(0, "ann", start), (upstream_choice{give_shared{true, "ann"}}));
  EXPECT_EQ(it.wanted_alone(0, "bob", start), (upstream_choice{give_shared{false, "bob"}}));
}

TEST(configured_server, ends_the_upstream_of_an_owner_who_has_not_used_it_for_a_while) {
  configured_server it{by_owner};
  it.wanted_alone(0, "ann", start);
  EXPECT_EQ(it.shared_unused("ann", start + 60s - 1ms), nothing);
  EXPECT_EQ(it.shared_unused("bob", start + 60s), nothing);
  EXPECT_EQ(it.shared_unused("ann", start + 60s), configured_server_effects{retire_shared{"ann"}});
  EXPECT_EQ(it.shared_unused("ann", start + 60s), nothing);
  EXPECT_EQ(it.wanted_alone(0, "ann", start + 60s), (upstream_choice{give_shared{true, "ann"}}));
}

TEST(configured_server, ends_the_upstreams_of_all_owners_when_it_is_removed) {
  configured_server it{by_owner};
  it.wanted_alone(0, "ann", start);
  it.wanted_alone(0, "bob", start);
  EXPECT_EQ(it.retire(start), (configured_server_effects{retire_shared{"ann"}, retire_shared{"bob"}}));
  EXPECT_EQ(it.wanted_alone(0, "ann", start), removed);
  it.shared_lost("ann");
  EXPECT_EQ(it.tick(start + 1min), nothing);
  it.shared_lost("bob");
  EXPECT_EQ(it.tick(start + 2min), configured_server_effects{end_server{}});
}

TEST(configured_server, gives_a_user_alone_a_process_and_a_merging_one_a_supervised_upstream) {
  configured_server it{own};
  EXPECT_EQ(it.begin(start), nothing);
  EXPECT_EQ(it.wanted_alone(0, {}, start), upstream_choice{give_bare{}});
  EXPECT_EQ(it.wanted_lasting({}, start), upstream_choice{give_supervised{false}});
  EXPECT_EQ(it.wanted_bare(0, start), upstream_choice{give_bare{}});
  EXPECT_EQ(it.deadline(), time_point::max());
}

TEST(configured_server, supervises_also_for_a_user_alone_when_a_process_is_not_enough) {
  auto rules = own;
  rules.bare_alone = false;
  EXPECT_EQ(configured_server{rules}.wanted_alone(0, {}, start), upstream_choice{give_supervised{true}});
  rules.ends_users = false;
  EXPECT_EQ(configured_server{rules}.wanted_alone(0, {}, start), upstream_choice{give_supervised{false}});
}

TEST(configured_server, starts_what_is_shared_for_the_first_user_and_again_after_its_loss) {
  configured_server it{shared};
  EXPECT_EQ(it.begin(start), nothing);
  EXPECT_EQ(it.wanted_alone(0, {}, start), upstream_choice{give_shared{true}});
  EXPECT_EQ(it.wanted_lasting({}, start), upstream_choice{give_shared{false}});
  EXPECT_EQ(it.wanted_bare(0, start), upstream_choice{give_bare{}});
  it.shared_lost({});
  EXPECT_EQ(it.wanted_lasting({}, start), upstream_choice{give_shared{true}});
}

TEST(configured_server, that_is_eager_starts_only_what_is_shared_before_it_is_wanted) {
  auto rules = shared;
  rules.eager = true;
  configured_server it{rules};
  EXPECT_EQ(it.begin(start), configured_server_effects{start_shared{}});
  EXPECT_EQ(it.wanted_alone(0, {}, start), upstream_choice{give_shared{false}});
  rules.shared = false;
  EXPECT_EQ(configured_server{rules}.begin(start), nothing);
}

// -- starts that fail ----------------------------------------------------------------------

TEST(configured_server, refuses_users_after_as_many_failed_starts_as_are_allowed) {
  configured_server it{own};
  EXPECT_EQ(it.start_failed("it stumbled", 10s - 1ms, start), std::nullopt);
  EXPECT_EQ(it.wanted_alone(0, {}, start), upstream_choice{give_bare{}});
  EXPECT_FALSE(it.rests(start));
  EXPECT_EQ(it.start_failed("it fell", 0ms, start), 60s);
  EXPECT_TRUE(it.rests(start));
  EXPECT_EQ(it.why_not_started(), "it fell");
  EXPECT_EQ(it.wanted_alone(0, {}, start), resting("60 s"));
  EXPECT_EQ(it.wanted_lasting({}, start + 59s), resting("1 s"));
  EXPECT_EQ(it.wanted_bare(0, start), upstream_choice{give_bare{}});
}

/// The state of a server that was never started is unknown.
TEST(configured_server, does_not_count_starts_that_the_gateway_prevented) {
  configured_server it{own};
  for (auto i = 0; i < 100; ++i)
    it.start_prevented();
  EXPECT_EQ(it.wanted_alone(0, {}, start), upstream_choice{give_bare{}});
  it.start_failed("it stumbled", 1s, start);
  EXPECT_EQ(it.wanted_alone(0, {}, start), upstream_choice{give_bare{}});
  auto rested = that_rests();
  rested.start_prevented();
  EXPECT_EQ(rested.wanted_alone(0, {}, start + 59s), resting("1 s"));
  EXPECT_EQ(rested.wanted_alone(0, {}, start + 60s), upstream_choice{give_bare{}});
  rested.start_prevented();
  EXPECT_EQ(rested.wanted_alone(0, {}, start + 61s), upstream_choice{give_bare{}});
}

TEST(configured_server, lets_one_user_try_after_the_rest) {
  auto it = that_rests();
  EXPECT_EQ(it.wanted_alone(0, {}, start + 60s), upstream_choice{give_bare{}});
  EXPECT_EQ(it.wanted_alone(0, {}, start + 60s), resting("60 s"));
  it.server_spoke();
  EXPECT_EQ(it.wanted_alone(0, {}, start + 60s), upstream_choice{give_bare{}});
}

TEST(configured_server, counts_no_loss_after_a_steady_run_as_a_failed_start) {
  configured_server it{own};
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(it.start_failed("it was tired", 10s, start), std::nullopt);
  EXPECT_EQ(it.why_not_started(), "");
}

TEST(configured_server, refuses_nobody_what_is_shared) {
  auto it = that_rests(shared);
  EXPECT_EQ(it.wanted_alone(0, {}, start), upstream_choice{give_shared{true}});
}

// -- the pool ------------------------------------------------------------------------------

TEST(configured_server, fills_its_pool_over_all_units) {
  configured_server it{pool_of_two};
  EXPECT_EQ(it.begin(start), nothing);
  EXPECT_EQ(it.deadline(), start);
  EXPECT_EQ(it.tick(start), (configured_server_effects{start_pooled{0, 0}, start_pooled{1, 1}}));
  EXPECT_EQ(it.deadline(), time_point::max());
}

TEST(configured_server, gives_what_waits_on_the_unit_of_the_user_and_then_any) {
  auto it = with_pool();
  EXPECT_EQ(it.wanted_alone(1, {}, start), upstream_choice{give_pooled{1}});
  EXPECT_EQ(it.wanted_bare(1, start), upstream_choice{give_pooled{0}});
  EXPECT_EQ(it.wanted_alone(1, {}, start), upstream_choice{give_bare{}});
}

TEST(configured_server, fills_its_pool_again_after_the_user_has_its_own) {
  auto it = with_pool();
  it.wanted_alone(0, {}, start + 1s);
  EXPECT_EQ(it.deadline(), start + 1s);
  EXPECT_EQ(it.tick(start + 1s), (configured_server_effects{start_pooled{2, 0}}));
}

TEST(configured_server, replaces_what_was_lost_in_its_pool_after_a_pause) {
  auto it = with_pool();
  it.pooled_lost(0, start);
  EXPECT_EQ(it.deadline(), start + 500ms);
  EXPECT_EQ(it.tick(start + 500ms - 1ns), nothing);
  EXPECT_EQ(it.tick(start + 500ms), (configured_server_effects{start_pooled{2, 0}}));
}

TEST(configured_server, fills_no_pool_while_starts_are_refused) {
  auto it = that_rests(pool_of_two);
  EXPECT_EQ(it.tick(start), nothing);
  EXPECT_EQ(it.deadline(), start + 60s);
  EXPECT_EQ(it.wanted_alone(0, {}, start + 59s), resting("1 s"));
  EXPECT_EQ(it.tick(start + 60s).size(), 2u);
}

TEST(configured_server, gives_what_waits_although_starts_are_refused) {
  auto it = with_pool();
  for (int i = 0; i < 2; ++i)
    it.start_failed("it stumbled", 1s, start);
  EXPECT_EQ(it.wanted_alone(0, {}, start), upstream_choice{give_pooled{0}});
  EXPECT_EQ(it.wanted_lasting({}, start), upstream_choice{give_supervised{false}});
}

// -- removal -------------------------------------------------------------------------------

TEST(configured_server, that_was_removed_serves_for_a_minute_only_those_that_it_had) {
  auto it = with_pool();
  EXPECT_EQ(it.retire(start), configured_server_effects{stop_pool{}});
  EXPECT_EQ(it.wanted_alone(0, {}, start), removed);
  EXPECT_EQ(it.wanted_lasting({}, start), removed);
  EXPECT_EQ(it.wanted_bare(0, start), upstream_choice{give_bare{}});
  EXPECT_EQ(it.deadline(), start + 1min);
  EXPECT_EQ(it.tick(start + 1min - 1ns), nothing);
  EXPECT_EQ(it.tick(start + 1min), configured_server_effects{end_server{}});
  EXPECT_EQ(it.deadline(), time_point::max());
}

TEST(configured_server, that_was_removed_outlives_what_is_shared) {
  configured_server it{shared};
  it.wanted_alone(0, {}, start);
  EXPECT_EQ(it.retire(start), configured_server_effects{retire_shared{}});
  EXPECT_EQ(it.tick(start + 1min), nothing);
  EXPECT_EQ(it.deadline(), start + 2min);
  it.shared_lost({});
  EXPECT_EQ(it.tick(start + 2min), configured_server_effects{end_server{}});
}

// -- the era ---------------------------------------------------------------------

TEST(configured_server, remembers_for_ever_that_it_speaks_the_modern_era) {
  configured_server it{own};
  it.begin(start);
  EXPECT_EQ(it.known_era(start), server_era::automatic);
  it.era_found(server_era::stateless, start);
  EXPECT_EQ(it.known_era(start + 24h), server_era::stateless);
}

TEST(configured_server, remembers_for_an_hour_that_it_speaks_the_session_era_only) {
  configured_server it{own};
  it.begin(start);
  it.era_found(server_era::stateless, start);
  it.era_found(server_era::session, start);
  EXPECT_EQ(it.known_era(start + 1h - 1ns), server_era::session);
  EXPECT_EQ(it.known_era(start + 1h), server_era::automatic);
}

// -- shared by their era -------------------------------------------------------------------

TEST(configured_server, has_one_upstream_for_all_users_of_a_program_that_is_configured_as_modern) {
  configured_server it{known_modern};
  EXPECT_EQ(it.known_era(start), server_era::stateless);
  EXPECT_EQ(it.begin(start), nothing);
  EXPECT_EQ(it.wanted_alone(0, {}, start), (upstream_choice{give_shared{true}}));
  EXPECT_EQ(it.wanted_alone(0, "ann", start), (upstream_choice{give_shared{false}}));
  EXPECT_EQ(it.wanted_lasting("bob", start), (upstream_choice{give_shared{false}}));
  it.shared_lost({});
  EXPECT_EQ(it.wanted_alone(0, {}, start), (upstream_choice{give_shared{true}}));
}

TEST(configured_server, starts_a_program_that_is_configured_as_modern_before_its_users_come) {
  auto rules = known_modern;
  rules.eager = true;
  configured_server it{rules};
  EXPECT_EQ(it.begin(start), configured_server_effects{start_shared{}});
  EXPECT_EQ(it.wanted_alone(0, {}, start), (upstream_choice{give_shared{false}}));
}

TEST(configured_server, makes_the_first_users_upstream_that_of_all_when_it_is_modern) {
  configured_server it{by_era};
  EXPECT_EQ(it.wanted_alone(0, {}, start), upstream_choice{give_supervised{true}});
  EXPECT_EQ(it.wanted_alone(0, {}, start), upstream_choice{wait_for_era{}});
  EXPECT_EQ(it.wanted_lasting("ann", start), upstream_choice{wait_for_era{}});
  EXPECT_EQ(it.era_found(server_era::stateless, start), nothing);
  EXPECT_EQ(it.wanted_alone(0, {}, start), upstream_choice{wait_for_era{}})
      << "it is not known yet whose process it is";
  EXPECT_TRUE(it.greeted(true, start));
  EXPECT_FALSE(it.is_searching());
  EXPECT_EQ(it.wanted_alone(0, {}, start), (upstream_choice{give_shared{false}}));
  EXPECT_EQ(it.wanted_lasting("ann", start), (upstream_choice{give_shared{false}}));
}

TEST(configured_server, leaves_a_second_upstream_that_is_modern_to_its_user) {
  configured_server it{by_era};
  it.wanted_alone(0, {}, start);
  it.tick(start + 5s);
  EXPECT_EQ(it.wanted_lasting({}, start), upstream_choice{give_supervised{false}});
  EXPECT_TRUE(it.greeted(true, start));
  EXPECT_FALSE(it.greeted(true, start));
}

TEST(configured_server, gives_each_user_its_own_of_a_program_with_sessions) {
  configured_server it{by_era};
  it.wanted_alone(0, {}, start);
  EXPECT_FALSE(it.greeted(false, start));
  EXPECT_EQ(it.wanted_alone(0, {}, start), upstream_choice{give_bare{}});
  EXPECT_EQ(it.wanted_lasting({}, start), upstream_choice{give_supervised{false}});
}

TEST(configured_server, lets_nobody_wait_longer_than_five_seconds_for_the_era) {
  configured_server it{by_era};
  it.wanted_alone(0, {}, start);
  EXPECT_EQ(it.deadline(), start + 5s);
  it.tick(start + 5s - 1ns);
  EXPECT_TRUE(it.is_searching());
  it.tick(start + 5s);
  EXPECT_FALSE(it.is_searching());
  EXPECT_EQ(it.deadline(), time_point::max());
  EXPECT_EQ(it.wanted_alone(0, {}, start + 5s), upstream_choice{give_supervised{true}});
  EXPECT_EQ(it.wanted_alone(0, {}, start + 5s), upstream_choice{give_supervised{true}});
}

TEST(configured_server, lets_nobody_wait_for_a_process_that_does_not_start_or_is_removed) {
  for (const int how : {0, 1, 2}) {
    configured_server it{by_era};
    it.wanted_alone(0, {}, start);
    if (how == 0)
      it.start_failed("it stumbled", 1s, start);
    else if (how == 1)
      it.start_prevented();
    else
      it.retire(start);
    EXPECT_FALSE(it.is_searching()) << how;
    EXPECT_EQ(it.wanted_alone(0, {}, start), how == 2 ? removed : upstream_choice{give_supervised{true}});
  }
}

TEST(configured_server, lets_another_be_the_first_when_the_first_user_leaves) {
  configured_server it{by_era};
  it.wanted_alone(0, {}, start);
  it.searcher_left();
  EXPECT_FALSE(it.is_searching());
  EXPECT_EQ(it.deadline(), time_point::max());
  EXPECT_EQ(it.wanted_lasting({}, start + 1s), upstream_choice{give_supervised{false}});
  EXPECT_EQ(it.wanted_alone(0, {}, start + 1s), upstream_choice{wait_for_era{}});
  EXPECT_EQ(it.deadline(), start + 6s);
  it.greeted(true, start);
  it.searcher_left();
  EXPECT_EQ(it.wanted_alone(0, {}, start), (upstream_choice{give_shared{false}}));
}

TEST(configured_server, shares_no_more_when_the_program_was_replaced_by_one_with_sessions) {
  configured_server it{by_era};
  it.wanted_alone(0, {}, start);
  it.greeted(true, start);
  EXPECT_EQ(it.era_found(server_era::session, start), configured_server_effects{retire_shared{}});
  EXPECT_EQ(it.wanted_alone(0, {}, start), upstream_choice{give_bare{}});
  EXPECT_EQ(it.wanted_alone(0, {}, start), upstream_choice{give_bare{}});
  EXPECT_EQ(it.era_found(server_era::stateless, start), nothing);
  EXPECT_EQ(it.wanted_alone(0, {}, start), (upstream_choice{give_shared{true}}));
}

TEST(configured_server, means_what_it_says_of_sharing_whatever_the_era) {
  configured_server each{own};
  each.era_found(server_era::stateless, start);
  EXPECT_EQ(each.wanted_alone(0, {}, start), upstream_choice{give_bare{}});
  configured_server all{shared};
  all.wanted_alone(0, {}, start);
  EXPECT_EQ(all.era_found(server_era::session, start), nothing);
  EXPECT_EQ(all.wanted_alone(0, {}, start), (upstream_choice{give_shared{false}}));
}

TEST(configured_server, ends_the_process_of_all_that_nobody_has_used_for_a_while) {
  configured_server it{known_modern};
  it.wanted_alone(0, {}, start);
  EXPECT_EQ(it.shared_unused({}, start + 60s), configured_server_effects{retire_shared{}});
  EXPECT_EQ(it.wanted_alone(0, {}, start + 60s), (upstream_choice{give_shared{true}}));
}

} // namespace troupe::tests::configured_server_test

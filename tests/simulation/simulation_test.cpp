// A cluster of the real machines on a simulated network, clock and store: no run breaks a rule, and a seed always gives
// the same run.

#include "tests/simulation/client_messages.hpp"
#include "tests/simulation/known_runs.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace troupe::tests::simulation_test {

using namespace simulation;

namespace {

constexpr std::uint64_t seeds = 8;

run_setup setup_of(std::uint64_t seed) {
  run_setup result;
  result.seed = seed;
  result.hosts = 2 + seed % 3;
  result.clients = 3 * result.hosts;
  return result;
}

/// Runs some seeds with faults of these kinds.
void expect_good(const std::set<fault_kind>& kinds, bool has_store = true, bool joins_one = false,
                 bool remembers = false) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    auto setup = setup_of(seed);
    setup.has_store = has_store;
    setup.joins_one = joins_one;
    setup.remembers = remembers;
    auto plan = plan_of(setup, kinds);
    std::ostringstream lines;
    auto result = run_once(setup, plan, &lines);
    ASSERT_TRUE(result.is_good) << "seed " << seed << ": " << result.violation << '\n' << lines.str();
    EXPECT_GT(result.counts["results"], 100u) << "seed " << seed;
  }
}

} // namespace

TEST(simulation, keeps_all_rules_without_faults) { expect_good({}); }

TEST(simulation, keeps_all_rules_without_faults_and_without_a_store) { expect_good({}, false); }

TEST(simulation, keeps_all_rules_when_links_and_store_connections_break_and_clocks_drift) {
  expect_good({fault_kind::break_link, fault_kind::slow_network, fault_kind::break_store_line, fault_kind::drift});
}

TEST(simulation, keeps_all_rules_when_the_store_hangs) { expect_good({fault_kind::store_hangs}); }

TEST(simulation, keeps_all_rules_when_the_store_loses_data) {
  expect_good({fault_kind::store_is_emptied, fault_kind::store_goes_back});
}

TEST(simulation, keeps_all_rules_when_nodes_end) { expect_good({fault_kind::kill, fault_kind::power_loss}); }

TEST(simulation, keeps_all_rules_when_the_running_store_loads_older_data) {
  expect_good({fault_kind::store_is_restored});
  expect_good({fault_kind::store_is_restored, fault_kind::kill, fault_kind::pause});
}

/// The store forgets which node took a session of a node that has ended.
TEST(simulation, keeps_all_rules_when_nodes_end_and_the_store_comes_back_older) {
  expect_good(
      {fault_kind::kill, fault_kind::store_goes_back, fault_kind::store_fails_over, fault_kind::store_goes_back_twice});
}

TEST(simulation, keeps_all_rules_when_nodes_pause_and_the_network_is_parted) {
  expect_good({fault_kind::pause, fault_kind::partition, fault_kind::one_way_partition});
}

TEST(simulation, keeps_all_rules_when_nodes_end_while_the_store_hangs) {
  expect_good({fault_kind::kill, fault_kind::power_loss, fault_kind::store_hangs});
}

TEST(simulation, keeps_all_rules_when_nodes_are_parted_without_a_store) {
  expect_good({fault_kind::pause, fault_kind::partition, fault_kind::kill, fault_kind::power_loss}, false);
}

TEST(simulation, keeps_all_rules_when_nodes_begin_together_and_know_one_address) {
  for (auto has_store : {true, false})
    expect_good({fault_kind::kill, fault_kind::power_loss, fault_kind::pause}, has_store, true);
}

TEST(simulation, keeps_all_rules_when_machines_are_suspended) {
  expect_good({fault_kind::suspend, fault_kind::pause});
  expect_good({fault_kind::suspend, fault_kind::partition, fault_kind::kill, fault_kind::store_hangs});
}

TEST(simulation, keeps_all_rules_when_machines_are_suspended_without_a_store) {
  expect_good({fault_kind::suspend, fault_kind::partition, fault_kind::kill}, false);
}

TEST(simulation, keeps_all_rules_when_nodes_remember_members_and_join_one_address) {
  for (auto has_store : {true, false})
    expect_good({fault_kind::kill, fault_kind::power_loss, fault_kind::restart, fault_kind::suspend}, has_store, true,
                true);
}

// A hostile client changes single bytes of its calls, so that "hostile-40" becomes "ho\tile-40".
TEST(simulation, answers_tokens_that_json_must_escape) {
  for (std::string token : {"ho\tile-40", "\\", "\"", "\n"}) {
    auto read = messages_in(answer_text("1", token, "session"));
    ASSERT_EQ(read.size(), 1u) << token;
    EXPECT_TRUE(protocol::has_result(read.front()));
    EXPECT_EQ(call_tokens(messages_in(call_text("1", token))), (std::vector{token}));
  }
}

TEST(simulation, shrinks_a_plan_to_the_faults_that_break_a_rule) {
  const std::set kinds{fault_kind::pause, fault_kind::store_hangs};
  auto setup = setup_of(1);
  setup.wrong = planted::tenure_kept;
  auto plan = plan_of(setup, kinds);
  for (; setup.seed < 100 && run_once(setup, plan).broken != rule::one_owner; plan = plan_of(setup, kinds))
    ++setup.seed;
  auto fewer = shrink(setup, plan, rule::one_owner);
  EXPECT_LT(fewer.size(), plan.size());
  auto result = run_once(setup, fewer);
  EXPECT_FALSE(result.is_good);
  EXPECT_EQ(result.broken, rule::one_owner);
}

TEST(simulation, gives_the_same_run_for_the_same_seed) {
  auto setup = setup_of(7);
  auto plan = plan_of(setup, {fault_kind::pause, fault_kind::partition, fault_kind::kill, fault_kind::store_hangs});
  auto one = run_once(setup, plan);
  auto other = run_once(setup, plan);
  EXPECT_EQ(one.digest, other.digest);
  EXPECT_EQ(one.steps, other.steps);
  setup.seed = 8;
  EXPECT_NE(run_once(setup, plan).digest, one.digest);
}

} // namespace troupe::tests::simulation_test

// Nodes that are told to stop, and start again: no call that never ran fails as lost, sessions go on, and each node
// ends within its grace.

#include "tests/simulation/world.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace troupe::tests::restarts_test {

using namespace simulation;

namespace {

/// Runs some seeds in which nodes restart, and returns the number of restarts.
std::uint64_t restarts_of(fault_kind how, bool has_store) {
  std::uint64_t result = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    run_setup setup;
    setup.seed = seed;
    setup.hosts = 2 + seed % 3;
    setup.clients = 3 * setup.hosts;
    setup.has_store = has_store;
    std::ostringstream lines;
    auto done = run_once(setup, plan_faults(seed, setup.hosts, setup.time, {how}, 3s), &lines);
    EXPECT_TRUE(done.is_good) << "seed " << seed << ": " << done.violation << '\n' << lines.str();
    result += done.counts[std::string{fault_text(how)}];
  }
  return result;
}

} // namespace

TEST(restarts, break_no_rule_with_a_store) { EXPECT_GT(restarts_of(fault_kind::restart, true), 30u); }

TEST(restarts, break_no_rule_when_all_nodes_follow_each_other) {
  EXPECT_GT(restarts_of(fault_kind::rolling_restart, true), 30u);
}

TEST(restarts, break_no_rule_without_a_store) { EXPECT_GT(restarts_of(fault_kind::rolling_restart, false), 30u); }

} // namespace troupe::tests::restarts_test

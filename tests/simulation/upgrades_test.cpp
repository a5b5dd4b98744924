// Processes on one host that hand over to each other: somebody always accepts clients, and no session is ended by it.

#include "tests/simulation/upgrade_world.hpp"
#include "tests/simulation/world.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace troupe::tests::upgrades_test {

using namespace simulation;

namespace {

/// Runs some seeds, and returns the number of handovers that were completed.
std::uint64_t handovers_with(std::set<fault_kind> others) {
  others.insert(fault_kind::hand_over);
  std::uint64_t result = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    run_setup setup{.seed = seed, .hosts = 1, .clients = 6};
    std::ostringstream lines;
    auto done = run_once(setup, plan_of(setup, others), &lines);
    EXPECT_TRUE(done.is_good) << "seed " << seed << ": " << done.violation << '\n' << lines.str();
    result += done.counts["handovers"];
  }
  return result;
}

std::string text_of(const fault& one) {
  return std::string{fault_text(one.is)} + " at " + std::to_string(one.at / 1ms) + ' ' + std::to_string(one.one);
}

} // namespace

TEST(upgrades, break_no_rule) { EXPECT_GT(handovers_with({}), 20u); }

TEST(upgrades, break_no_rule_when_processes_are_killed) { EXPECT_GT(handovers_with({fault_kind::kill}), 20u); }

TEST(upgrades, break_no_rule_when_processes_hang) { EXPECT_GT(handovers_with({fault_kind::pause}), 20u); }

TEST(upgrades, break_no_rule_when_processes_are_killed_hang_and_stop) {
  EXPECT_GT(handovers_with({fault_kind::kill, fault_kind::pause, fault_kind::restart}), 20u);
}

TEST(upgrades, are_planned_by_the_seed) {
  const std::set kinds{fault_kind::hand_over, fault_kind::kill, fault_kind::break_link};
  auto plan = plan_upgrades(7, 40s, kinds);
  auto same = plan_upgrades(7, 40s, kinds);
  ASSERT_FALSE(plan.empty());
  EXPECT_TRUE(std::ranges::equal(plan, same, {}, text_of, text_of));
  EXPECT_TRUE(std::ranges::is_sorted(plan, {}, &fault::at));
  for (auto& one : plan)
    EXPECT_TRUE(one.is == fault_kind::hand_over || one.is == fault_kind::kill) << text_of(one);
  EXPECT_TRUE(plan_upgrades(7, 40s, {fault_kind::kill}).empty());
}

} // namespace troupe::tests::upgrades_test

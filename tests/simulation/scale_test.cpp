// The simulation of large clusters, with small ones: figures grow with the number of nodes as deploy/doc/scale.md says.

#include "tests/simulation/scale_run.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::scale_test {

using namespace simulation;

namespace {

scale_figures figures_of(std::size_t nodes) {
  scale_setup setup;
  setup.nodes = nodes;
  setup.load.sessions = 3000;
  return measure(setup);
}

} // namespace

TEST(scale, shows_a_cluster_that_finds_itself_and_recovers) {
  for (std::size_t nodes : {3, 10}) {
    SCOPED_TRACE(nodes);
    auto figures = figures_of(nodes);
    for (auto* one : {&figures.start, &figures.join, &figures.restart, &figures.kill, &figures.power_loss})
      EXPECT_GE(one->seconds, 0);
    EXPECT_LT(figures.start.seconds, 4);
    EXPECT_LT(figures.kill.seconds, 0.1);
    EXPECT_LT(figures.power_loss.seconds, 4.1);
    EXPECT_EQ(figures.after_kill.restored, figures.after_kill.sessions);
    EXPECT_EQ(figures.after_power_loss.restored, figures.after_power_loss.sessions);
    EXPECT_GT(figures.after_kill.sessions, 0u);
    EXPECT_NEAR(figures.store_commands, 3000 / 60.0 + static_cast<double>(nodes), 15);
  }
}

// A node that joins costs each other node a message to each other at most, and a death costs none.
TEST(scale, shows_changes_that_cost_each_node_no_more_than_the_number_of_nodes) {
  auto figures = figures_of(10);
  EXPECT_LT(figures.join.messages, 2 * 10);
  EXPECT_LT(figures.restart.messages, 2 * 10);
  EXPECT_LT(figures.kill.messages, 2);
}

} // namespace troupe::tests::scale_test

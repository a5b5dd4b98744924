#pragma once

#include "tests/simulation/world.hpp"

#include <string_view>
#include <vector>

namespace troupe::tests::simulation {

/// Run that broke a rule, with only the faults that are required for that.
struct known_run {
  std::string_view what;
  rule broken;
  run_setup setup;
  fault_plan plan;
};

/// Runs that broke a rule once. A change of an actor, a client or a message gives the same seed another run. Therefore
/// the tests run each plan with further seeds, too.
const std::vector<known_run>& known_runs();

} // namespace troupe::tests::simulation

#pragma once

#include "tests/simulation/world.hpp"

#include <set>
#include <string_view>
#include <vector>

namespace troupe::tests::simulation {

/// Rules that the product still breaks, which runs tolerate, and kinds of faults that runs do not have unless they name
/// them.
inline const std::set<rule> still_broken{};
inline const std::set<fault_kind> still_fatal{};

/// Faults with which a run broke a rule, shrunk to those that it takes.
struct known_run {
  std::string_view what;
  rule broken;
  run_setup setup;
  fault_plan plan;
};

/// Each run that ever broke a rule. The same seed gives another run as soon as an actor, a client or a message is
/// added: so the plan is kept, and the tests run it with some more seeds.
const std::vector<known_run>& known_runs();

} // namespace troupe::tests::simulation

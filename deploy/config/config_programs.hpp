#pragma once

#include "deploy/config/config_prefixes.hpp"
#include "deploy/config/config_variables.hpp"

#include <vector>

namespace troupe::deploy {

/// Warns of servers whose program cannot be started: its file is not there or may not be executed, or no directory of
/// `PATH` has it. That is the `PATH` of the server's own variables or, when they have none, of `environment`.
void check_programs(const std::vector<server_entry>& servers, const environment_lookup& environment);

} // namespace troupe::deploy

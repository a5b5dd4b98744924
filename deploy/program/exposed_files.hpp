#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_problem.hpp"

#include <string>
#include <vector>

namespace troupe::deploy {

/// Warnings of files that a gateway reads: of secrets that any user of the machine can read, and of files that any can
/// change; and of a listener for operators that is open. `config` is the configuration file, or empty; it is a secret
/// if values in it are.
std::vector<config_problem> exposed_files(const gateway_options& options, const std::string& config);

} // namespace troupe::deploy

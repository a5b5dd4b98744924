#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_problem.hpp"

#include <string>
#include <vector>

namespace troupe::deploy {

/// Warnings of what a gateway leaves open: secrets in files that any user of the machine can read, files that any can
/// change, a listener for operators that asks for no token, credentials for remote servers that are sent in clear.
/// `config` is the configuration file, or empty; it is a secret if values in it are.
std::vector<config_problem> exposures(const gateway_options& options, const std::string& config);

} // namespace troupe::deploy

#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_problem.hpp"

#include <string>
#include <vector>

namespace troupe::deploy {

/// What to tell of servers that are root, as this process is and they have no user of their own: they can read all that
/// the gateway knows. Empty when there are none.
struct root_servers {
  std::string text;
  /// `github, files`
  std::string names;
};
root_servers servers_as_root(const std::vector<server_options>& servers);

/// Warnings of what a gateway leaves open: secrets in files that any user of the machine can read, files that any can
/// change, a listener for operators that asks for no token, credentials for remote servers that are sent in clear.
/// `config` is the configuration file, or empty; it is a secret if values in it are.
std::vector<config_problem> exposures(const gateway_options& options, const std::string& config);

} // namespace troupe::deploy

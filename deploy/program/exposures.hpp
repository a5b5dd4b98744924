#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_problem.hpp"

#include <string>
#include <vector>

namespace troupe::deploy {

/// Warning about servers that run as root, because this process does and they have no user of their own: they can read
/// all that the gateway can. Empty when there are none.
struct root_servers {
  std::string text;
  /// Names of the servers: `github, files`.
  std::string names;
};
root_servers servers_as_root(const std::vector<server_options>& servers);

/// Returns warnings about files that any user of the machine can change, or can read although they have secrets. Also
/// about a listener for operators without a token, and credentials sent in clear. `config` is the configuration file,
/// or empty; it counts as secret if it contains secret values.
std::vector<config_problem> exposures(const gateway_options& options, const std::string& config);

} // namespace troupe::deploy

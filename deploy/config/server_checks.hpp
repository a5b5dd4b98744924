#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_value.hpp"
#include "deploy/config/config_variables.hpp"

#include <vector>

namespace troupe::deploy {

/// Server and its entry in the file.
struct server_entry {
  server_options options;
  config_value entry;
};

/// Reports merged servers whose tools could get equal names: prefixes are equal, or one with its `__` begins the other,
/// after characters that tool names cannot have are replaced. Warns of each further server without a prefix: the names
/// of its tools are known only at run time.
void check_prefixes(const std::vector<server_entry>& servers);

/// Reports servers that need values or tokens of callers but cannot get them. Warns of access rules for issuers without
/// callers.
void check_callers(const std::vector<server_entry>& servers, const gateway_options& gateway);

/// Warns of servers whose program cannot be started: the file does not exist or is not executable, or no directory of
/// `PATH` has it. `PATH` is that of the server's own variables or else of `environment`.
void check_programs(const std::vector<server_entry>& servers, const environment_lookup& environment);

} // namespace troupe::deploy

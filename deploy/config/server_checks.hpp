#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_value.hpp"
#include "deploy/config/config_variables.hpp"

#include <vector>

namespace troupe::deploy {

/// A server and its entry in the file.
struct server_entry {
  server_options options;
  config_value entry;
};

/// Reports servers whose tools could get the same names where servers are merged: servers whose prefixes are equal
/// after characters that tool names cannot have are replaced, or of which one with its `__` begins the other. Warns of
/// each further server without a prefix: what its tools are called is not known until it runs.
void check_prefixes(const std::vector<server_entry>& servers);

/// Reports servers that are told of their callers, or shown tokens, and cannot be. Warns of rules for callers of
/// issuers from which none come.
void check_callers(const std::vector<server_entry>& servers, const gateway_options& gateway);

/// Warns of servers whose program cannot be started: its file is not there or may not be executed, or no directory of
/// `PATH` has it. That is the `PATH` of the server's own variables or, when they have none, of `environment`.
void check_programs(const std::vector<server_entry>& servers, const environment_lookup& environment);

} // namespace troupe::deploy

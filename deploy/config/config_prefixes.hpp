#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_value.hpp"

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

} // namespace troupe::deploy

#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_value.hpp"

#include <vector>

namespace troupe::deploy {

/// A server and its entry in the file.
struct placed_server {
  server_options options;
  config_value entry;
};

/// Reports servers whose tools could have the same names where servers are merged: their prefixes are the same once
/// they are made of what tools' names may have, or with its `__` one begins the other.
void check_prefixes(const std::vector<placed_server>& servers);

} // namespace troupe::deploy

#pragma once

#include "deploy/config/config_prefixes.hpp"

#include <vector>

namespace troupe::deploy {

/// Reports servers that are told of their callers, or shown tokens, and cannot be. Warns of rules for callers of
/// issuers from which none come.
void check_callers(const std::vector<server_entry>& servers, const gateway_options& gateway);

} // namespace troupe::deploy

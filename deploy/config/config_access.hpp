#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_value.hpp"

#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Reads the section `access` of a server.
void read_access(const config_value& section, server_access& to);

std::vector<std::string_view> access_keys();
std::vector<std::string_view> allowed_callers_keys();

} // namespace troupe::deploy

#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_value.hpp"
#include "deploy/config/config_variables.hpp"

#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Reads the section `auth` of a gateway.
void read_auth(const config_value& section, config_variables& variables, auth_options& to);

std::vector<std::string_view> auth_keys();
std::vector<std::string_view> introspection_keys();

} // namespace troupe::deploy

#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_value.hpp"
#include "deploy/config/config_variables.hpp"

#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Reads the section `gateway.admin`.
void read_admin(const config_value& section, config_variables& variables, admin_options& to);

/// The keys of the section.
std::vector<std::string_view> admin_keys();

} // namespace troupe::deploy

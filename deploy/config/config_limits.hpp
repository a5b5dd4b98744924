#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_value.hpp"

#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Reads the section `gateway.limits` into the options.
void read_limits(const config_value& section, limits& to);

/// The keys of the section, and of `perAddress` in it.
std::vector<std::string_view> limits_keys();
std::vector<std::string_view> address_limits_keys();

} // namespace troupe::deploy

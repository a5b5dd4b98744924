#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_value.hpp"
#include "deploy/config/config_variables.hpp"

#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Reads the section `gateway.tls`.
void read_tls(const config_value& section, config_variables& variables, tls_options& to);

/// The keys of the section.
std::vector<std::string_view> tls_keys();

} // namespace troupe::deploy

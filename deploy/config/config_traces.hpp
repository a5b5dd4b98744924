#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_value.hpp"
#include "deploy/config/config_variables.hpp"

#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Reads the section `gateway.traces`. What it does not say is as the environment says.
trace_options read_traces(const config_value& section, config_variables& variables);

/// The keys of the section.
std::vector<std::string_view> traces_keys();

} // namespace troupe::deploy

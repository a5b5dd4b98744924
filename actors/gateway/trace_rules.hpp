#pragma once

#include "actors/troupe/gateway.hpp"

#include <optional>
#include <string>

namespace troupe::actors {

/// Why requests cannot be traced as the options say, in one line.
std::optional<std::string> why_not_traces(const gateway_options& options);

} // namespace troupe::actors

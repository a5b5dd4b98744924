#pragma once

#include "actors/troupe/gateway.hpp"

#include <optional>
#include <string>

namespace troupe::actors {

/// Why the options about who may use a gateway cannot be, in one line.
std::optional<std::string> why_not_auth(const gateway_options& options);

} // namespace troupe::actors

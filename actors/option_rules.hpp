#pragma once

#include "actors/gateway.hpp"

#include <optional>
#include <string>

namespace troupe::actors {

/// Why a gateway cannot be what it is told to be, in one line that has no value of an option; nothing when it can.
std::optional<std::string> why_not(const gateway_options& options);

} // namespace troupe::actors

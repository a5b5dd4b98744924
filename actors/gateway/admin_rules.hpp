#pragma once

#include "actors/troupe/gateway.hpp"

#include <optional>
#include <string>

namespace troupe::actors {

/// Why operators cannot be listened for as the options say, in one line.
std::optional<std::string> why_not_admin(const gateway_options& options);

} // namespace troupe::actors

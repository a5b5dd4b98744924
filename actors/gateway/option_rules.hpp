#pragma once

#include "actors/troupe/gateway.hpp"

#include <optional>
#include <string>

namespace troupe::actors {

/// Why a gateway cannot be what it is told to be, in one line that has no value of an option but names of servers;
/// nothing when it can. The servers have their names. `in_host` is whether its actors live in a system of the host's.
std::optional<std::string> why_not(const gateway_options& options, bool in_host);

/// The options with all names in place. Throws `std::runtime_error` when they cannot be served.
gateway_options checked(gateway_options options, bool in_host);

} // namespace troupe::actors

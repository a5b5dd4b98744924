#pragma once

#include "actors/troupe/gateway.hpp"

#include <optional>
#include <string>

namespace troupe::actors {

/// Returns why a gateway cannot run with these options; empty if it can. The line contains names of servers but no
/// other values. The servers must have names. `in_host`: the actors live in the host's actor system.
std::optional<std::string> why_not(const gateway_options& options, bool in_host);

/// Fills in the names of servers. Throws `std::runtime_error` if a gateway cannot run with the options.
gateway_options checked(gateway_options options, bool in_host);

} // namespace troupe::actors

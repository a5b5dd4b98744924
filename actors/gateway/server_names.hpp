#pragma once

#include "actors/troupe/gateway.hpp"

#include <string>
#include <vector>

namespace troupe::actors {

/// The names of servers that are given none: a program's is its file's, a remote server's its host, a hosted server's
/// what it calls itself. Actors have none, nor has what does not say where it comes from.
std::string own_name(const server_source& source);

/// The servers with all names in place.
std::vector<server_options> named(std::vector<server_options> servers);

} // namespace troupe::actors

#pragma once

#include "net/child/child_user.hpp"
#include "net/child/spawn.hpp"

#include <string>
#include <vector>

namespace troupe::net {

/// The variables of a child, as `NAME=value`; those of its user when it has one of its own.
std::vector<std::string> environment_of(const command& what, const child_user* user);

/// Where the program is; empty when it is nowhere.
std::string locate(const command& what);

} // namespace troupe::net

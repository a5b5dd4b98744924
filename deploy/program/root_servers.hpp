#pragma once

#include "actors/troupe/gateway.hpp"

#include <string>
#include <vector>

namespace troupe::deploy {

/// What to tell of servers that are root, as this process is and they have no user of their own: they can read all that
/// the gateway knows. Empty when there are none.
struct root_servers {
  std::string text;
  /// `github, files`
  std::string names;
};
root_servers servers_as_root(const std::vector<server_options>& servers);

} // namespace troupe::deploy

#pragma once

#include <string>
#include <vector>

namespace troupe::deploy {

/// The text of a first configuration file, with comments that say what may be in it. `server` is the command line of
/// its server.
std::string first_file(const std::string& schema, const std::string& name, const std::vector<std::string>& server);

/// What to call the server of a command line: `everything` for `npx -y @modelcontextprotocol/server-everything`.
std::string name_of_command(const std::vector<std::string>& server);

} // namespace troupe::deploy

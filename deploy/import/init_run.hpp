#pragma once

#include "deploy/import/import_run.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// The text of a first configuration file, with comments that say what may be in it. `server` is the command line of
/// its server.
std::string first_file(const std::string& schema, const std::string& name, const std::vector<std::string>& server);

/// What to call the server of a command line: `everything` for `npx -y @modelcontextprotocol/server-everything`.
std::string name_of_command(const std::vector<std::string>& server);

/// Writes a file that is not there yet and that only its user can read. The reason why not; empty when it is written.
std::string write_new_file(const std::string& path, std::string_view text);

/// Where the schema of configuration files is installed beside this program; the usual place when it is not.
std::string schema_place();

/// This program, by a name or path that starts it.
std::string own_program();

/// Writes a first configuration file, unless there is one, and says what to do with it.
int run_init(const init_command& command);

} // namespace troupe::deploy

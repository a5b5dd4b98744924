#pragma once

#include "deploy/import/import_run.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Returns the text of a first configuration file, with comments about its keys. `server` is the command line of its
/// server.
std::string first_file(const std::string& schema, const std::string& name, const std::vector<std::string>& server);

/// Returns a server's name for its command line: `everything` for `npx -y @modelcontextprotocol/server-everything`.
std::string name_of_command(const std::vector<std::string>& server);

/// Writes a new file that only its user can read. Returns the reason of a failure; empty on success.
std::string write_new_file(const std::string& path, std::string_view text);

/// Returns the path of the installed configuration schema beside this program, or else the usual one.
std::string schema_place();

/// Returns a name or path that starts this program.
std::string own_program();

/// Writes a first configuration file, unless the file exists, and prints the next steps. Returns the exit status.
int run_init(const init_command& command);

} // namespace troupe::deploy

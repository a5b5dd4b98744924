#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace troupe::deploy {

/// Options of `troupe import …`.
struct import_command {
  /// Files of clients; empty for all that are found on this machine.
  std::vector<std::string> files;
  /// Whether to list the servers only.
  bool list = false;
  /// File for secrets; empty to leave them in the configuration.
  std::string secrets;
};

/// Options of `troupe init …`.
struct init_command {
  std::string file = "mcp.json";
  /// Command line of a server; empty for the example server.
  std::vector<std::string> server;
};

/// Add the commands. Parsing writes to `command`.
CLI::App& add_import(CLI::App& app, import_command& command);
CLI::App& add_init(CLI::App& app, init_command& command);

/// Prints one configuration file with the servers of all files. Returns the exit status: 1 without servers or on error.
int run_import(const import_command& command);

} // namespace troupe::deploy

#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace troupe::deploy {

/// `troupe import …`
struct import_command {
  /// The files of clients; empty for those that are on this machine.
  std::vector<std::string> files;
  /// Only say what is there.
  bool list = false;
  /// Where to put secrets; empty when they stay where they are.
  std::string secrets;
};

/// `troupe init …`
struct init_command {
  std::string file = "mcp.json";
  /// The command line of a server; empty for the example server.
  std::vector<std::string> server;
};

/// Add the commands, which write to what is given when they are parsed.
CLI::App& add_import(CLI::App& app, import_command& command);
CLI::App& add_init(CLI::App& app, init_command& command);

/// Prints one file of those of clients; the exit status is 1 when there is no server in them.
int run_import(const import_command& command);

} // namespace troupe::deploy

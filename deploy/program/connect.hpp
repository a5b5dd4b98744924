#pragma once

#include "deploy/connect/connect_command.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace troupe::deploy {

/// Values of the flags of `troupe connect`, as parsed.
struct connect_flag_values {
  connect_command command;
  std::vector<std::string> headers;
  std::string transport = "auto";
  std::string level = "info";
  std::string secret_file;
  bool no_browser = false;
};

/// Adds the command. Parsing writes to `typed`.
CLI::App& add_connect(CLI::App& app, connect_flag_values& typed);

/// Converts the parsed values, with variables replaced. Throws `CLI::ValidationError`, without values of variables in
/// its text.
connect_command connect_command_of(connect_flag_values typed);

/// Runs an MCP server on stdin and stdout that forwards everything to the remote one, until stdin ends or a signal
/// arrives. Returns the exit status.
int run_connect(const connect_command& command);

} // namespace troupe::deploy

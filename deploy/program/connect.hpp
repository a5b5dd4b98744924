#pragma once

#include "deploy/connect/connect_command.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace troupe::deploy {

/// What `troupe connect` is parsed into.
struct connect_flag_values {
  connect_command command;
  std::vector<std::string> headers;
  std::string transport = "auto";
  std::string level = "info";
  std::string secret_file;
  bool no_browser = false;
};

/// Adds the command, which writes to `typed` when it is parsed.
CLI::App& add_connect(CLI::App& app, connect_flag_values& typed);

/// The command that was typed, with its variables replaced. Throws `CLI::ValidationError`, which has no value of a
/// variable.
connect_command connect_command_of(connect_flag_values typed);

/// Is an MCP server on stdin and stdout that passes everything to the remote one, until stdin ends or a signal comes.
/// Gives the exit status.
int run_connect(const connect_command& command);

} // namespace troupe::deploy

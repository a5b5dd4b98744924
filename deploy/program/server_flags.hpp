#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/program/parted_line.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <utility>
#include <vector>

namespace troupe::deploy {

/// What the flags that name servers are parsed into.
struct server_flag_values {
  /// What is told of programs: their directory.
  command_server program;
  remote_server remote;
  std::string stdio;
  /// Names and command lines.
  std::vector<std::pair<std::string, std::string>> named;
  std::vector<std::string> environment;
  bool whole_environment = false;
  std::vector<std::string> headers;
};

/// Adds the flags, which write to `typed` when they are parsed. None of them goes with `config`.
void add_server_flags(CLI::App& app, CLI::Option& config, server_flag_values& typed);

/// The servers that were typed, as flags or behind `--`. Throws CLI11's `ValidationError` when there is none, or it is
/// not clear which.
std::vector<server_options> typed_servers(server_flag_values typed, parted_line line);

} // namespace troupe::deploy

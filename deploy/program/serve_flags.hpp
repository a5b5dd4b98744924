#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/program/gateway_flags.hpp"
#include "deploy/program/serve.hpp"
#include "deploy/program/shell_words.hpp"

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

/// What the flags of `serve` are parsed into.
struct serve_flag_values {
  serve_command command;
  server_flag_values server;
  cluster_flag_values cluster;
  access_flag_values access;
  limit_flag_values limits;
  std::string level = "info";
  std::string format = "text";
  std::string access_format = "json";
};

/// Adds `troupe serve`, whose flags write to `typed` when they are parsed.
CLI::App& add_serve(CLI::App& app, serve_flag_values& typed);

/// What was typed. Throws CLI11's `ValidationError` when it does not go together.
serve_command serve_command_of(const CLI::App& serve, serve_flag_values typed, parted_line line);

} // namespace troupe::deploy

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

/// Values of the flags that name servers, as parsed.
struct server_flag_values {
  /// Settings for programs: their directory.
  command_server program;
  remote_server remote;
  std::string stdio;
  /// Names and command lines of `--named-server`.
  std::vector<std::pair<std::string, std::string>> named;
  std::vector<std::string> environment;
  bool whole_environment = false;
  std::vector<std::string> headers;
};

/// Adds the flags, each of which excludes `config`. Parsing writes to `typed`.
void add_server_flags(CLI::App& app, CLI::Option& config, server_flag_values& typed);

/// Returns the typed servers, from flags or behind `--`. Throws CLI11's `ValidationError` when there is none, or the
/// choice is ambiguous.
std::vector<server_options> typed_servers(server_flag_values typed, parted_line line);

/// Values of the flags of `serve`, as parsed.
struct serve_flag_values {
  serve_command command;
  server_flag_values server;
  cluster_flag_values cluster;
  access_flag_values access;
  std::string level = "info";
  std::string format = "text";
  std::string access_format = "json";
};

/// Adds `troupe serve`. Parsing writes to `typed`.
CLI::App& add_serve(CLI::App& app, serve_flag_values& typed);

/// Converts the parsed values. Throws CLI11's `ValidationError` when flags contradict each other.
serve_command serve_command_of(const CLI::App& serve, serve_flag_values typed, parted_line line);

} // namespace troupe::deploy

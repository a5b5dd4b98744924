#pragma once

#include "deploy/program/access_flags.hpp"
#include "deploy/program/cluster_flags.hpp"
#include "deploy/program/limit_flags.hpp"
#include "deploy/program/parted_line.hpp"
#include "deploy/program/serve_command.hpp"
#include "deploy/program/server_flags.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace troupe::deploy {

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

#pragma once

#include "actors/troupe/access_check.hpp"
#include "deploy/config/config_file.hpp"
#include "deploy/program/gateway_flags.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace troupe::deploy {

/// Options of `troupe check …`.
struct check_command {
  std::string config;
  /// Flags of `serve` that say who is allowed in.
  flagged_options flags;
  /// Caller to check: a name, a key or a token; `-` to read a key or token from stdin.
  std::string as;
  /// Caller to check, and the thing, without the caller of `as`. When it has no subject either, only the file is
  /// checked.
  access_question question;
};

struct check_flag_values {
  check_command command;
  access_flag_values access;
  std::string thing;
};

/// Adds `troupe check`. Parsing writes to `typed`.
CLI::App& add_check(CLI::App& app, check_flag_values& typed);

/// Converts the parsed values. Throws CLI11's `ValidationError` when flags contradict each other.
check_command check_command_of(const CLI::App& check, check_flag_values typed);

/// Prints the problems of a configuration file to stdout, a line each. Returns the exit status: 1 on an error, 0 with
/// only warnings or no problems. With a caller, and without errors, prints the caller's permissions instead, and
/// returns 1 when there are none.
int check(const check_command& command);

} // namespace troupe::deploy

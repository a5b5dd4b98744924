#pragma once

#include "actors/troupe/access_check.hpp"
#include "deploy/config/config_file.hpp"
#include "deploy/program/gateway_flags.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace troupe::deploy {

/// `troupe check …`
struct check_command {
  std::string config;
  /// Those of `serve` that say who may come in.
  flagged_options flags;
  /// A name, or a key or token; `-` when it stands on stdin.
  std::string as;
  /// Without that, whom a token may name, and what it is to have. Nobody is asked about when this is empty, too.
  std::string subject;
  std::vector<std::string> scopes;
  std::vector<std::string> groups;
  std::optional<asked_thing> thing;
};

/// What the flags of `check` are parsed into.
struct check_flag_values {
  check_command command;
  access_flag_values access;
  std::string thing;
};

/// Adds `troupe check`, whose flags write to `typed` when they are parsed.
CLI::App& add_check(CLI::App& app, check_flag_values& typed);

/// What was typed. Throws CLI11's `ValidationError` when it does not go together.
check_command check_command_of(const CLI::App& check, check_flag_values typed);

/// Prints what is wrong with a configuration file to stdout, a line for each problem. Returns the program's exit
/// status: 1 when there is an error, 0 when there are only warnings or nothing. Asked about somebody, it prints what he
/// may instead, unless there is an error, and returns 1 when that is nothing.
int check(const check_command& command);

} // namespace troupe::deploy

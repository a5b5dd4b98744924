#pragma once

#include "deploy/program/access_flags.hpp"
#include "deploy/program/check_command.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace troupe::deploy {

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

} // namespace troupe::deploy

#pragma once

#include "deploy/program/new_key_command.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace troupe::deploy {

/// What the flags of `key new` are parsed into.
struct key_flag_values {
  new_key_command made;
  std::string expires;
};

/// Adds `troupe key`, and gives `troupe key new`, whose flags write to `typed` when they are parsed.
CLI::App& add_key(CLI::App& app, key_flag_values& typed);

new_key_command new_key_command_of(key_flag_values typed);

} // namespace troupe::deploy

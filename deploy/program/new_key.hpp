#pragma once

#include "protocol/time.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace troupe::deploy {

/// `troupe key new NAME`
struct new_key_command {
  std::string name;
  std::vector<std::string> scopes;
  std::optional<protocol::calendar_time> expires;
};

/// What the flags of `key new` are parsed into.
struct key_flag_values {
  new_key_command made;
  std::string expires;
};

/// Adds `troupe key`, and gives `troupe key new`, whose flags write to `typed` when they are parsed.
CLI::App& add_key(CLI::App& app, key_flag_values& typed);

new_key_command new_key_command_of(key_flag_values typed);

/// Makes a key, and prints it, and what the file of keys has of it. Gives the status that the program ends with.
int make_key(const new_key_command& command);

} // namespace troupe::deploy

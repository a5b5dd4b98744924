#pragma once

#include "protocol/time.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace troupe::deploy {

/// Options of `troupe key new NAME`.
struct new_key_command {
  std::string name;
  std::vector<std::string> scopes;
  std::optional<protocol::calendar_time> expires;
};

/// Values of the flags of `key new`, as parsed.
struct key_flag_values {
  new_key_command made;
  std::string expires;
};

/// Adds `troupe key`, and returns `troupe key new`. Parsing writes to `typed`.
CLI::App& add_key(CLI::App& app, key_flag_values& typed);

new_key_command new_key_command_of(key_flag_values typed);

/// Generates a key, and prints the key and its line for the file of keys. Returns the exit status.
int make_key(const new_key_command& command);

} // namespace troupe::deploy

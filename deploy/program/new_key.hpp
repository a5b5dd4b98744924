#pragma once

#include "protocol/access/access_key.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace troupe::deploy {

/// Options of `troupe key new NAME`: a key without a hash.
using new_key_command = protocol::access_key;

struct key_flag_values {
  new_key_command made;
  std::string expires;
};

/// Adds `troupe key`, and returns `troupe key new`. Parsing writes to `typed`.
CLI::App& add_key(CLI::App& app, key_flag_values& typed);

new_key_command new_key_command_of(key_flag_values typed);

/// Generates a key, and prints the key and its line for the file of keys. Returns the exit status.
int make_key(new_key_command key);

} // namespace troupe::deploy

#pragma once

#include "deploy/help/command_text.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::deploy {

/// How a shell can complete the value of a flag, by what is told of it.
struct value_kind {
  bool is_file = false;
  bool is_directory = false;
  /// The values that there are: of `debug|info`, two.
  std::vector<std::string> choices;
};

value_kind kind_of(const flag_text& flag);

/// Each command with those below it, in the order of the declarations, after the program itself.
std::vector<const command_text*> all_commands(const command_text& program);

/// The name without the program's: `key new`.
std::string short_name(const command_text& command);

} // namespace troupe::deploy

#pragma once

#include <CLI/CLI.hpp>

#include <set>
#include <string>

namespace troupe::deploy {

/// The flags of the command that were given, such as `--port`.
inline std::set<std::string> given_flags(const CLI::App& command) {
  std::set<std::string> result;
  for (const auto* option : command.get_options())
    if (option->count() > 0)
      result.insert(option->get_name());
  return result;
}

} // namespace troupe::deploy

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::deploy {

/// Longest file of variables, in bytes.
inline constexpr std::size_t longest_env_file = 1024 * 1024;

/// The variables of a file as `dotenv` and VS Code's `envFile` have it.
struct env_file {
  std::vector<std::pair<std::string, std::string>> variables;
  /// The first line, counted from 1, that is none of it; 0 when all are.
  std::size_t bad_line = 0;
};

/// Reads lines `NAME=value`, perhaps after `export`. A value in single quotes is taken as it is; in double quotes it
/// may have `\n`, `\"` and `\\`; one without quotes ends at a `#` after a blank. Lines that are empty or begin with `#`
/// are skipped. Variables in values are not replaced.
env_file read_env_file(std::string_view text);

} // namespace troupe::deploy

#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Command line, split at its first `--`. Words after it are the server's, even if they look like our flags.
struct parted_line {
  std::vector<std::string> flags;
  std::vector<std::string> server;
  bool dashes = false;
};

inline parted_line part(std::vector<std::string> words) {
  parted_line result;
  const auto dashes = std::ranges::find(words, "--");
  result.flags.assign(words.begin(), dashes);
  if (dashes != words.end()) {
    result.dashes = true;
    result.server.assign(dashes + 1, words.end());
  }
  return result;
}

/// Splits a command line by the shell's quoting rules (single quotes, double quotes, backslash), without variables,
/// patterns or pipes. Empty when a quote is left open or a backslash is at the end.
std::optional<std::vector<std::string>> shell_words(std::string_view line);

} // namespace troupe::deploy

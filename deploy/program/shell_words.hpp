#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// A command line cut at its first `--`: what follows is the server's, even where it looks like a flag of ours.
struct parted_line {
  std::vector<std::string> flags;
  std::vector<std::string> server;
  bool dashes = false;
};

inline parted_line part(std::vector<std::string> words) {
  parted_line result;
  const auto dashes = std::find(words.begin(), words.end(), "--");
  result.flags.assign(words.begin(), dashes);
  if (dashes != words.end()) {
    result.dashes = true;
    result.server.assign(dashes + 1, words.end());
  }
  return result;
}

/// The words of a command line, split by the shell's quoting rules (single quotes, double quotes, backslash) and
/// by nothing else of the shell: no variables, patterns or pipes. Nothing when a quote is left open or a backslash
/// stands at the end.
std::optional<std::vector<std::string>> shell_words(std::string_view line);

} // namespace troupe::deploy

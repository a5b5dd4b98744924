#pragma once

#include <string>
#include <vector>

namespace troupe::deploy {

/// Command line translated to Troupe's own flags, or the reason of a failure.
struct own_words {
  std::vector<std::string> words = {};
  /// Line that names the flag and its replacement; empty when all flags were translated.
  std::string problem = {};
};

/// Translates the flags of supergateway 4 and of both programs called mcp-proxy (npm, 6, and PyPI, 0.11) if Troupe has
/// an equivalent. Numbers of milliseconds stay so. A command line without a command gets `serve` or `connect`.
///
/// `words` are those before `--`, without the program's name; command lines of other commands are returned unchanged.
own_words translate_flags(std::vector<std::string> words, bool server_behind_dashes);

} // namespace troupe::deploy

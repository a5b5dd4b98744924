#pragma once

#include <string>
#include <vector>

namespace troupe::deploy {

/// The words of a command line in Troupe's own flags, or why there are none.
struct own_words {
  std::vector<std::string> words = {};
  /// One line that names the flag and says what to use instead; empty when all could be translated.
  std::string problem = {};
};

/// Translates what users of other bridges type: the flags of supergateway 4 and of both programs that are called
/// mcp-proxy (of npm, 6, and of PyPI, 0.11), where Troupe has the same by another name. What they count in milliseconds
/// stays so. Where the words do not begin with a command, `serve` or `connect` is put before them.
///
/// `words` are those before `--`, without the program's name; other commands are left as they are.
own_words in_own_words(std::vector<std::string> words, bool server_behind_dashes);

} // namespace troupe::deploy

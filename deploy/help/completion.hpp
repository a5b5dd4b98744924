#pragma once

#include "deploy/help/command_text.hpp"

#include <string>

namespace troupe::deploy {

// Scripts by which shells complete the program's command line. None of them completes what follows `--`, which is
// another program's.

/// For `source` in bash, or a file in `bash-completion/completions`.
std::string bash_completion(const command_text& program);
/// For a file `_troupe` in a directory of zsh's `fpath`.
std::string zsh_completion(const command_text& program);
/// For a file in fish's `completions`.
std::string fish_completion(const command_text& program);

} // namespace troupe::deploy

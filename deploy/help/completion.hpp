#pragma once

#include "deploy/help/command_text.hpp"

#include <string>

namespace troupe::deploy {

// Scripts by which shells complete the program's command line. No script completes words after `--`, which belong to
// the server's program.

/// Script for `source` in bash, or for a file in `bash-completion/completions`.
std::string bash_completion(const command_text& program);
/// Script for a file `_troupe` in a directory of zsh's `fpath`.
std::string zsh_completion(const command_text& program);
/// Script for a file in fish's `completions`.
std::string fish_completion(const command_text& program);

} // namespace troupe::deploy

#pragma once

#include "deploy/help/command_text.hpp"

#include <cstddef>
#include <string>

namespace troupe::deploy {

/// The page that `--help` prints, in lines of at most `width` characters where its words allow it.
std::string help_text(const command_text& command, std::size_t width);

/// The words in lines of at most `width` characters, each after the first indented by so many. `used` characters of the
/// first line are taken.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent, std::size_t used);

/// How a command is called: `troupe check [flags] [FILE]`.
std::string usage_of(const command_text& command);

} // namespace troupe::deploy

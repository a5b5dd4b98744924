#pragma once

#include "deploy/help/command_text.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace troupe::deploy {

/// A page of help that is about no single command.
struct help_topic {
  /// What is typed for it: `troupe help signals`.
  std::string_view name;
  /// The title of its section in the manual.
  std::string_view title;
  /// Paragraphs between empty lines; lines that begin with two spaces stay as they are.
  std::string_view text;
};

std::span<const help_topic> help_topics();

/// The page that `--help` prints, in lines of at most `width` characters where its words allow it.
std::string help_text(const command_text& command, std::size_t width);

/// The words in lines of at most `width` characters, each after the first indented by so many. `used` characters of the
/// first line are taken.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent, std::size_t used);

/// How a command is called: `troupe check [flags] [FILE]`.
std::string usage_of(const command_text& command);

} // namespace troupe::deploy

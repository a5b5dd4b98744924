#pragma once

#include "deploy/help/command_text.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace troupe::deploy {

/// Help page about a topic instead of a command.
struct help_topic {
  /// Name, as typed in `troupe help signals`.
  std::string_view name;
  /// Title of its section in the manual.
  std::string_view title;
  /// Paragraphs separated by empty lines; lines that begin with two spaces are verbatim.
  std::string_view text;
};

std::span<const help_topic> help_topics();

/// Formats the page that `--help` prints, in lines of up to `width` characters where its words allow it.
std::string help_text(const command_text& command, std::size_t width);

/// Wraps a text to lines of up to `width` characters; indents all but the first. The first line already has `used`
/// characters.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent, std::size_t used);

/// Returns the usage of a command: `troupe check [flags] [FILE]`.
std::string usage_of(const command_text& command);

} // namespace troupe::deploy

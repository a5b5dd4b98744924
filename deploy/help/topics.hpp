#pragma once

#include <span>
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

} // namespace troupe::deploy

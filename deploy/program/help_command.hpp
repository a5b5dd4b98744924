#pragma once

#include "deploy/help/command_text.hpp"

#include <string>
#include <vector>

namespace troupe::deploy {

/// `troupe help` and `troupe completion`.
struct help_command {
  /// A command, or the name of a topic; the program's own page when empty.
  std::vector<std::string> words;
  /// A page of the manual, in its own format.
  std::string manual;
  /// For whom a script of completions is printed; `help` when empty.
  std::string shell;
};

/// Adds both, which write to `typed` when they are parsed.
void add_help(CLI::App& app, help_command& typed);

/// Prints what was asked for. Throws CLI11's `ValidationError` when there is no such page.
void print_help(const help_command& asked, const command_text& program);

/// Prints the page of one command on stdout, as wide as the terminal, or 100 characters.
void print_page(const command_text& command);

} // namespace troupe::deploy

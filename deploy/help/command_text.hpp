#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace troupe::deploy {

/// Description of a flag, or of a positional argument.
struct flag_text {
  /// Names such as `-c`, `--config`; a positional argument has a name without dashes.
  std::vector<std::string> names;
  /// Placeholder of the value, such as `FILE`, `HOST:PORT` or `debug|info`; empty when the flag takes none.
  std::string value;
  std::string text;
  /// Default value; may be empty.
  std::string default_value;
  /// Heading under which help lists the flag.
  std::string group;
  /// True if the flag may be repeated.
  bool repeats = false;
  /// True if the command requires the flag.
  bool required = false;

  bool is_word() const { return !names.front().starts_with('-'); }
};

/// Description of a command, and of its subcommands.
struct command_text {
  /// Full name, as typed: `troupe key new`.
  std::string name;
  std::string text;
  std::vector<flag_text> flags;
  /// Text after the flags: usage, examples.
  std::string notes;
  /// Heading under which help lists the command.
  std::string group;
  std::vector<command_text> commands;
};

/// Reads the descriptions from the declarations by which CLI11 parses the command line.
command_text read_commands(const CLI::App& app);

/// Finds the command of these words below `all`, such as `key new`; null when there is none.
const command_text* find_command(const command_text& all, const std::vector<std::string>& words);

/// Kind of a flag's value, by which a shell can complete it.
struct value_kind {
  bool is_file = false;
  bool is_directory = false;
  /// Allowed values: of `debug|info`, two.
  std::vector<std::string> choices;
};

value_kind kind_of(const flag_text& flag);

/// Lists the program, then each command followed by its subcommands, in the order of the declarations.
std::vector<const command_text*> all_commands(const command_text& program);

/// Returns the name without the program's: `key new`.
std::string short_name(const command_text& command);

} // namespace troupe::deploy

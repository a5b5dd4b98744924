#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace troupe::deploy {

/// What is told of one flag, or of a word that a command takes.
struct flag_text {
  /// `-c`, `--config`; one without dashes is a word in its place.
  std::vector<std::string> names;
  /// What its value is, such as `FILE`, `HOST:PORT` or `debug|info`; empty when it takes none.
  std::string value;
  std::string text;
  /// What its value is unless it is given; may be empty.
  std::string standard;
  /// Flags are told in groups.
  std::string group;
  /// It may be given again.
  bool repeats = false;
  /// The command does not go without it.
  bool required = false;

  bool is_word() const { return !names.front().starts_with('-'); }
};

/// What is told of one command, and the commands below it.
struct command_text {
  /// As it is typed: `troupe key new`.
  std::string name;
  std::string text;
  std::vector<flag_text> flags;
  /// What follows the flags: how they are used, examples.
  std::string notes;
  /// Commands are told in groups.
  std::string group;
  std::vector<command_text> commands;
};

/// What the program's command line has, from the declarations that it is parsed by.
command_text read_commands(const CLI::App& app);

/// The command of these words below `all`, such as `key new`; null when there is none.
const command_text* find_command(const command_text& all, const std::vector<std::string>& words);

/// How a shell can complete the value of a flag, by what is told of it.
struct value_kind {
  bool is_file = false;
  bool is_directory = false;
  /// The values that there are: of `debug|info`, two.
  std::vector<std::string> choices;
};

value_kind kind_of(const flag_text& flag);

/// Each command with those below it, in the order of the declarations, after the program itself.
std::vector<const command_text*> all_commands(const command_text& program);

/// The name without the program's: `key new`.
std::string short_name(const command_text& command);

} // namespace troupe::deploy

#pragma once

#include "deploy/operator/operator_command.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::deploy {

/// What the commands for operators, such as `troupe sessions`, are parsed into.
struct operator_flag_values {
  operator_options options;
  list_sessions sessions;
  bool idle = false;
  bool busy = false;
  show_session session;
  bool once = false;
  std::string interval;
  end_session ended;
  std::uint64_t ended_call = 0;
  std::string server;
  drain_gateway drain;
  set_log_level level;
  follow_session followed;
  /// Each command, and what it wants once it has been parsed.
  std::vector<std::pair<const CLI::App*, std::function<operator_wish()>>> commands;
};

/// Adds the commands, which write to `typed` when they are parsed.
void add_operator_commands(CLI::App& app, operator_flag_values& typed);

/// What was typed, or else what `TROUPE_ADMIN` says; nothing when it was another command. Throws `CLI::ValidationError`
/// when the variable is needed and wrong.
std::optional<operator_command> operator_command_of(const operator_flag_values& typed);

} // namespace troupe::deploy

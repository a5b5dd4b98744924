#pragma once

#include "deploy/operator/operator_command.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::deploy {

/// Values of the flags of operators' commands, such as `troupe sessions`, as parsed.
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
  /// Commands, each with a function that returns its options once it has been parsed.
  std::vector<std::pair<const CLI::App*, std::function<operator_action()>>> commands;
};

/// Adds the commands. Parsing writes to `typed`.
void add_operator_commands(CLI::App& app, operator_flag_values& typed);

/// Returns the typed command, with the address of `TROUPE_ADMIN` unless a flag has one; empty for another command.
/// Throws `CLI::ValidationError` when the variable is needed and wrong.
std::optional<operator_command> operator_command_of(const operator_flag_values& typed);

} // namespace troupe::deploy

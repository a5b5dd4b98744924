#pragma once

#include "actors/troupe/gateway.hpp"
#include "actors/troupe/log_level_names.hpp"
#include "deploy/config/config_keys.hpp"
#include "deploy/config/config_problem.hpp"
#include "deploy/config/config_value.hpp"
#include "deploy/config/config_variables.hpp"
#include "deploy/log/access_log.hpp"
#include "deploy/log/log.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

// Names of log levels and formats, in flags and in files.

inline const choices<log_level> log_levels{log_level_names.begin(), log_level_names.end()};
inline const choices<log_format> log_formats = {{"text", log_format::text}, {"json", log_format::json}};

/// Longest configuration file, in bytes.
inline constexpr std::size_t longest_config = 4 * 1024 * 1024;

/// Configuration file, after overrides by flags, and its problems. If one of the problems is an error, do not use the
/// rest.
struct config_file {
  /// Gateway options, with at least one server.
  gateway_options gateway;
  std::optional<log_level> level;
  std::optional<log_format> format;
  access_log_options access_log;
  std::vector<config_problem> problems;
};

/// Options of the command line. Those whose flags were given, such as `--port`, override the file's.
struct flagged_options {
  gateway_options options;
  std::set<std::string> given;
};

/// Whether the programs of servers must exist when a file is read.
enum class programs { unseen, looked_for };

/// Parses the text of a file in `directory`.
config_file read_config(std::string text, const std::string& directory, const environment_lookup& environment,
                        const flagged_options& flags = {}, programs wanted = programs::unseen);

/// Returns the top-level keys of a file.
std::vector<std::string_view> file_keys();

/// Returns a variable of this process; empty if it is not set.
std::optional<std::string> process_variable(const std::string& name);

/// Reads and parses a file, with the variables of this process.
config_file load_config(const std::string& path, const flagged_options& flags = {}, programs wanted = programs::unseen);

/// Result of reading a file again.
struct config_change {
  /// New servers; empty if they are unchanged or the file has an error.
  std::optional<std::vector<server_options>> servers = {};
  /// First error, in one line; empty if there is none.
  std::string why_not = {};
};

/// Configuration file of a running gateway, in the last version without errors.
class live_config {
public:
  /// `flags` override the file at every reading.
  live_config(std::string path, config_file first, flagged_options flags = {})
      : path_(std::move(path)), flags_(std::move(flags)), current_(std::move(first)) {}

  const std::string& path() const { return path_; }

  /// Reads the file again and logs the changes.
  config_change read_again(const log_sink& log);

private:
  std::string path_;
  flagged_options flags_;
  config_file current_;
};

/// Logs each problem with its severity.
void log_problems(const log_sink& log, const std::vector<config_problem>& problems);

/// Returns the names of servers, separated by commas.
std::string names_of(const std::vector<server_options>& servers);

} // namespace troupe::deploy

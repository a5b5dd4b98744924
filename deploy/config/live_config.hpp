#pragma once

#include "deploy/config/config_file.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::deploy {

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

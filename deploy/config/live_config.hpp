#pragma once

#include "deploy/config/config_file.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::deploy {

/// What came of reading a file again.
struct config_change {
  /// The new servers; nothing when they are as they were, or the file has an error.
  std::optional<std::vector<server_options>> servers = {};
  /// The first error, in one line; empty when there is none.
  std::string why_not = {};
};

/// The configuration file of a running gateway, in the last version without errors.
class live_config {
public:
  /// The flags override the file at every reading.
  live_config(std::string path, config_file first, flagged_options flags = {})
      : path_(std::move(path)), flags_(std::move(flags)), current_(std::move(first)) {}

  const std::string& path() const { return path_; }

  /// Reads the file again and logs what has changed.
  config_change read_again(const log_sink& log);

private:
  std::string path_;
  flagged_options flags_;
  config_file current_;
};

/// Logs each problem, an error as an error and a warning as a warning.
void log_problems(const log_sink& log, const std::vector<config_problem>& problems);

/// The names of servers, parted by commas.
std::string names_of(const std::vector<server_options>& servers);

} // namespace troupe::deploy

#pragma once

#include "deploy/config/file_text.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Most problems reported per file. Further ones are dropped, and the file is refused.
inline constexpr std::size_t most_problems = 1000;

enum class severity { warning, error };

/// Error or warning about a configuration file. The text names keys and variables, never values: any value may be
/// secret.
struct config_problem {
  deploy::severity severity = severity::error;
  /// Line, counted from 1; 0 for the file as a whole.
  std::size_t line = 0;
  /// Path in the file, such as `mcpServers.github.args[1]`; empty for the file as a whole.
  std::string key;
  std::string text;

  friend bool operator==(const config_problem&, const config_problem&) = default;
};

/// Formats a problem as compilers do: `FILE:LINE: error: KEY: text`.
std::string problem_line(std::string_view file, const config_problem& problem);

bool has_error(const std::vector<config_problem>& problems);

/// Collects the problems of one file.
class config_report {
public:
  /// `text` must outlive this.
  explicit config_report(std::string_view text) : text_(text), lines_(text) {}

  /// Adds a problem. `part` is the part of the file's text that it is about; its beginning gives the line. A null
  /// `part` is the file as a whole.
  void add(deploy::severity severity, std::string_view part, std::string_view key, std::string text);
  const std::vector<config_problem>& problems() const { return problems_; }

private:
  std::string_view text_;
  line_index lines_;
  std::vector<config_problem> problems_;
};

} // namespace troupe::deploy

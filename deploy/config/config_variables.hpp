#pragma once

#include "deploy/config/config_value.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::deploy {

/// Returns the value of an environment variable; empty if it is not set.
using environment_lookup = std::function<std::optional<std::string>(const std::string& name)>;

/// Most bytes that all variables of a file may expand to.
inline constexpr std::size_t longest_expansion = 4 * 1024 * 1024;

/// Expands variables in the texts of a file: `${VAR}`, `${VAR:-default}`, both also as `${env:VAR}`, and VS Code's
/// `${userHome}`, `${workspaceFolder}`, `${workspaceFolderBasename}` and `${pathSeparator}`. The result is not expanded
/// again.
class config_variables {
public:
  /// `directory` is that of the file.
  config_variables(std::string directory, environment_lookup lookup)
      : directory_(std::move(directory)), lookup_(std::move(lookup)) {}

  const std::string& directory() const { return directory_; }
  const environment_lookup& lookup() const { return lookup_; }

  /// Handling of `${principal.NAME}`, which can be expanded only where a server's callers are told apart.
  enum class callers { are_refused, stay };

  /// Expands the variables of a text. If one has no value, returns empty and reports a problem of `at`.
  std::optional<std::string> expanded(std::string_view text, const config_value& at,
                                      callers named = callers::are_refused);

  /// Expands the variables of a path, which may begin with `~/`.
  std::optional<std::string> expanded_path(std::string_view text, const config_value& at);

private:
  std::optional<std::string> value_of(std::string_view piece, const config_value& at, callers named);
  std::optional<std::string> variable(std::string_view inside, std::string_view whole, const config_value& at);
  std::optional<std::string> from_environment(std::string_view inside, std::string_view whole, const config_value& at);
  std::optional<std::string> home(const config_value& at);
  bool append(std::string& result, std::string_view text, const config_value& at);

  std::string directory_;
  environment_lookup lookup_;
  std::size_t length_ = 0; // bytes of all expansions
};

/// Returns the path that a value names, expanded and relative to the file's directory. If there is none, returns empty
/// and reports a problem of the value.
std::optional<std::string> path_of(const config_value& value, config_variables& variables);

/// Returns the path of a readable file; otherwise as `path_of`.
std::optional<std::string> readable_path(const config_value& value, config_variables& variables);

/// Reports from `errno` why the file that a value names cannot be read.
void cannot_be_read(const config_value& value);

} // namespace troupe::deploy

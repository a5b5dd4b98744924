#include "deploy/config/config_path.hpp"

#include "deploy/config/file_text.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace troupe::deploy {

std::optional<std::string> path_of(const config_value& value, config_variables& variables) {
  const auto text = value.filled_text();
  const auto expanded = text ? variables.expanded_path(*text, value) : text;
  if (!expanded)
    return std::nullopt;
  return (std::filesystem::path(variables.directory()) / *expanded).lexically_normal().string();
}

std::optional<std::string> readable_path(const config_value& value, config_variables& variables) {
  auto path = path_of(value, variables);
  if (path && !is_readable(*path)) {
    cannot_be_read(value);
    return std::nullopt;
  }
  return path;
}

void cannot_be_read(const config_value& value) { value.error("cannot be read: " + std::string(std::strerror(errno))); }

} // namespace troupe::deploy

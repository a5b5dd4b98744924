#pragma once

#include "deploy/config/client_conventions.hpp"
#include "deploy/config/config_value.hpp"
#include "deploy/config/config_variables.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace troupe::deploy {

/// Reads the texts of one server's entry and expands their variables. Variables of a disabled entry are not looked up.
class server_texts {
public:
  server_texts(config_variables& variables, bool enabled, client_conventions conventions)
      : variables_(variables), enabled_(enabled), conventions_(conventions) {}

  std::optional<std::string> text(const config_value& value) { return expanded(value.text(), value); }
  std::optional<std::string> expanded(const std::optional<std::string>& text, const config_value& at);

  /// Expands a text, but keeps `${principal.NAME}`.
  std::optional<std::string> caller_text(const std::optional<std::string>& text, const config_value& at);

  /// Returns a path that is not empty.
  std::optional<std::string> path(const config_value& value);
  /// Returns a path, relative to the file's directory unless it is absolute.
  std::optional<std::string> place(const config_value& value);
  std::string from_directory(const std::string& path) const;

  /// Warns of `$NAME`, which only some clients treat as a variable.
  void warn_of_dollar(std::string_view text, const config_value& at) const;

  config_variables& variables() const { return variables_; }

  bool is_enabled() const { return enabled_; }

  /// True if a text can be checked. In a disabled entry, a text with variables cannot.
  bool is_final(std::string_view text) const { return enabled_ || text.find("${") == std::string_view::npos; }

private:
  config_variables& variables_;
  bool enabled_;
  client_conventions conventions_;
};

} // namespace troupe::deploy

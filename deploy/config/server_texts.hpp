#pragma once

#include "deploy/config/client_words.hpp"
#include "deploy/config/config_value.hpp"
#include "deploy/config/config_variables.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace troupe::deploy {

/// The strings of one server's entry with their variables replaced. Of an entry that is switched off they are not
/// looked up.
class server_texts {
public:
  server_texts(config_variables& variables, bool enabled, client_habits habits)
      : variables_(variables), enabled_(enabled), habits_(habits) {}

  std::optional<std::string> text(const config_value& value) { return expanded(value.text(), value); }
  std::optional<std::string> expanded(const std::optional<std::string>& text, const config_value& at);

  /// The same where `${principal.NAME}` may stand, which stays as it is.
  std::optional<std::string> caller_text(const std::optional<std::string>& text, const config_value& at);

  /// A path that is not empty.
  std::optional<std::string> path(const config_value& value);
  /// One that begins at the file's directory, unless it is absolute.
  std::optional<std::string> place(const config_value& value);
  std::string from_directory(const std::string& path) const;

  /// Warns of `$NAME`, which is a variable for some clients only.
  void warn_of_dollar(std::string_view text, const config_value& at) const;

  bool is_enabled() const { return enabled_; }

  /// Whether a text can be judged: with the variables of an entry that is switched off it cannot.
  bool is_final(std::string_view text) const { return enabled_ || text.find("${") == std::string_view::npos; }

private:
  config_variables& variables_;
  bool enabled_;
  client_habits habits_;
};

} // namespace troupe::deploy

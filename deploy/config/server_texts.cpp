#include "deploy/config/server_texts.hpp"

#include "protocol/text/caller_parts.hpp"

#include <filesystem>

namespace troupe::deploy {

std::optional<std::string> server_texts::expanded(const std::optional<std::string>& text, const config_value& at) {
  return text && enabled_ ? variables_.expanded(with_common_variables(*text, conventions_), at) : text;
}

std::optional<std::string> server_texts::caller_text(const std::optional<std::string>& text, const config_value& at) {
  if (!text || !enabled_)
    return text;
  if (auto why = protocol::fault_of_caller_parts(*text); !why.empty()) {
    at.error(why);
    return std::nullopt;
  }
  warn_of_dollar(*text, at);
  return variables_.expanded(with_common_variables(*text, conventions_), at, config_variables::callers::stay);
}

std::optional<std::string> server_texts::path(const config_value& value) {
  auto text = value.nonempty_text();
  if (text && enabled_)
    text = variables_.expanded_path(with_common_variables(*text, conventions_), value);
  if (!text || !text->empty())
    return text;
  value.error("is empty");
  return std::nullopt;
}

std::optional<std::string> server_texts::place(const config_value& value) {
  const auto found = path(value);
  return found ? std::optional(from_directory(*found)) : std::nullopt;
}

void server_texts::warn_of_dollar(std::string_view text, const config_value& at) const {
  if (!conventions_.dollar_names && ends_with_dollar_name(text))
    at.warn("ends with `$` and a name, which stays as it is: a variable is written as `${NAME}`");
}

std::string server_texts::from_directory(const std::string& path) const {
  return (std::filesystem::path(variables_.directory()) / path).lexically_normal().string();
}

} // namespace troupe::deploy

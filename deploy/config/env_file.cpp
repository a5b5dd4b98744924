#include "deploy/config/env_file.hpp"

#include "deploy/config/config_rules.hpp"
#include "protocol/text/words.hpp"

#include <optional>

namespace troupe::deploy {

namespace {

constexpr std::string_view export_word = "export ";

/// What stands between double quotes; nothing when they are not closed.
std::optional<std::string> unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size() && text[i] != '"'; ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    const char next = text[++i];
    if (next == 'n')
      result += '\n';
    else if (next == '"' || next == '\\')
      result += next;
    else
      result.append(1, '\\').append(1, next);
  }
  return result;
}

std::optional<std::string> value_in(std::string_view text) {
  if (text.starts_with('\'')) {
    const auto end = text.find('\'', 1);
    return end == std::string_view::npos ? std::nullopt : std::optional(std::string(text.substr(1, end - 1)));
  }
  if (text.starts_with('"')) {
    const auto closed = text.find_last_of('"') > 0;
    return closed ? unescaped(text.substr(1)) : std::nullopt;
  }
  return std::string(protocol::without_blanks(text.substr(0, text.find(" #"))));
}

} // namespace

env_file read_env_file(std::string_view text) {
  env_file result;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    line = protocol::without_blanks(line);
    if (line.empty() || line.starts_with('#'))
      continue;
    if (line.starts_with(export_word))
      line = protocol::without_blanks(line.substr(export_word.size()));
    const auto equals = line.find('=');
    auto name = std::string(protocol::without_blanks(line.substr(0, equals)));
    auto value =
        equals == std::string_view::npos ? std::nullopt : value_in(protocol::without_blanks(line.substr(equals + 1)));
    if (value && is_variable_name(name) && value->find('\0') == std::string::npos)
      result.variables.emplace_back(std::move(name), std::move(*value));
    else if (result.bad_line == 0)
      result.bad_line = number;
  }
  return result;
}

} // namespace troupe::deploy

#include "deploy/config/config_command.hpp"

#include "actors/gateway/option_table.hpp"
#include "deploy/config/config_keys.hpp"
#include "deploy/config/config_variables.hpp"
#include "deploy/config/file_text.hpp"
#include "deploy/config/option_reader.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <optional>

namespace troupe::deploy {

namespace {

constexpr std::string_view processor_time = "cpu";
constexpr std::string_view export_word = "export ";

/// Returns the text up to the closing double quote, unescaped; empty if there is no closing quote.
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

constexpr std::uint64_t most_user = 4'294'967'294;

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

const std::vector<config_key<command_reader>>& command_reader::keys() {
  static const std::vector<config_key<command_reader>> all = {{"command", &command_reader::command},
                                                              {"args", &command_reader::args},
                                                              {"env", &command_reader::env},
                                                              {"cwd", &command_reader::cwd},
                                                              {"user", &command_reader::user},
                                                              {"limits", &command_reader::limits},
                                                              {"noNewPrivileges", &command_reader::no_new_privileges},
                                                              {"envFile", &command_reader::env_file}};
  return all;
}

command_server command_reader::result() && {
  for (auto& variable : of_file_)
    if (std::ranges::none_of(result_.environment, [&](auto& one) { return one.first == variable.first; }))
      result_.environment.push_back(std::move(variable));
  return std::move(result_);
}

void command_reader::command(const config_value& value) {
  if (value.token().starts_with('['))
    return command_line(value);
  const auto path = texts_.path(value);
  if (!path)
    return;
  result_.program = path->find('/') == std::string::npos ? *path : texts_.from_directory(*path);
  // Keep the text before expansion for display: the value of a variable may be secret.
  if (auto written = value.text(); written && written->find("${") != written->npos)
    result_.shown = std::move(*written);
}

void command_reader::command_line(const config_value& value) {
  const auto words = value.elements();
  if (words.empty())
    return value.error("has no program");
  command(words.front());
  std::vector<std::string> arguments;
  for (auto word = std::next(words.begin()); word != words.end(); ++word)
    if (auto text = texts_.text(*word))
      arguments.push_back(std::move(*text));
  result_.arguments.insert(result_.arguments.begin(), arguments.begin(), arguments.end());
}

void command_reader::args(const config_value& value) {
  for (const auto& element : value.elements())
    if (auto text = texts_.text(element))
      result_.arguments.push_back(std::move(*text));
}

void command_reader::env(const config_value& value) {
  for (const auto& [name, value_of] : value.members()) {
    if (!is_variable_name(name))
      value_of.error("is no name of an environment variable");
    else if (auto text = texts_.caller_text(env_text(value_of), value_of))
      result_.environment.emplace_back(name, std::move(*text));
  }
}

std::optional<std::string> command_reader::env_text(const config_value& value) {
  if (!value.is_number() && !value.is_boolean())
    return value.text();
  value.warn("is taken as a string: write it in quotes");
  return std::string(value.token());
}

void command_reader::env_file(const config_value& value) {
  const auto place = texts_.place(value);
  if (!place || !texts_.is_enabled())
    return;
  const auto text = file_text(*place, longest_env_file);
  if (!text)
    return cannot_be_read(value);
  if (text->size() > longest_env_file)
    return value.error("is longer than " + std::to_string(longest_env_file) + " bytes");
  auto file = read_env_file(*text);
  if (file.bad_line != 0)
    value.error("has a line " + std::to_string(file.bad_line) + " that is no `NAME=value`");
  of_file_ = std::move(file.variables);
}

void command_reader::cwd(const config_value& value) {
  if (auto place = texts_.place(value))
    result_.directory = std::move(*place);
}

void command_reader::user(const config_value& value) {
  if (value.is_number()) {
    if (const auto number = value.whole(0, most_user))
      result_.user = std::to_string(*number);
  } else if (auto name = texts_.text(value)) {
    if (name->empty())
      value.error("must not be empty");
    result_.user = std::move(*name);
  }
}

void command_reader::limits(const config_value& value) {
  auto& to = result_.limits;
  for (const auto& member : value.members())
    if (member.name == processor_time)
      to.cpu = std::chrono::ceil<std::chrono::seconds>(member.value.duration().value_or(std::chrono::milliseconds{0}));
    else if (!read_member(member, actors::option_table::process_limit_rows, texts_.variables(), to))
      warn_of_unknown(member, process_limits_keys());
}

void command_reader::no_new_privileges(const config_value& value) {
  if (const auto boolean = value.boolean())
    result_.no_new_privileges = *boolean;
}

std::vector<std::string_view> process_limits_keys() {
  return keys_of<process_limits>(actors::option_table::process_limit_rows, {processor_time});
}

} // namespace troupe::deploy

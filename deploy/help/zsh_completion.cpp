#include "deploy/help/completion.hpp"
#include "deploy/help/value_kind.hpp"

#include <algorithm>

namespace troupe::deploy {

namespace {

/// In single quotes, with what `_arguments` takes for its own marked by a backslash.
std::string zsh_quoted(const std::string& text) {
  std::string result;
  for (const char c : text)
    if (c == '\'')
      result += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      (result += '\\') += c;
    else
      result += c;
  return result;
}

std::string function_of(const command_text& command) {
  auto result = "_" + command.name;
  std::ranges::replace_if(
      result, [](char c) { return c == ' ' || c == '-'; }, '_');
  return result;
}

/// What a value is called and how it is completed: `:FILE:_files`.
std::string action_of(const flag_text& flag) {
  const auto kind = kind_of(flag);
  std::string how;
  if (!kind.choices.empty())
    how = '(' + CLI::detail::join(kind.choices, " ") + ')';
  else if (kind.is_file)
    how = "_files";
  else if (kind.is_directory)
    how = "_files -/";
  return ':' + zsh_quoted(flag.value) + ':' + how;
}

std::string argument_of(const flag_text& flag) {
  if (flag.is_word())
    return " \\\n    '" + std::string{flag.required ? "" : ":"} + action_of(flag) + '\'';
  std::string result;
  for (const auto& name : flag.names)
    result += " \\\n    '" + std::string{flag.repeats ? "*" : ""} + name + '[' + zsh_quoted(flag.text) + ']' +
              (flag.value.empty() ? "" : action_of(flag)) + '\'';
  return result;
}

std::string commands_of(const command_text& command) {
  std::string result = "  commands=(\n";
  for (const auto& below : command.commands) {
    const auto name = below.name.substr(command.name.size() + 1);
    result += "    '" + name + ':' + zsh_quoted(below.text) + "'\n";
  }
  return result + "  )\n";
}

std::string cases_of(const command_text& command) {
  std::string result =
      "  case $state in\n    command) _describe command commands ;;\n    rest)\n      case $words[1] in\n";
  for (const auto& below : command.commands)
    result += "        " + below.name.substr(command.name.size() + 1) + ") " + function_of(below) + " ;;\n";
  return result + "      esac ;;\n  esac\n";
}

std::string zsh_function(const command_text& command) {
  auto result = function_of(command) + "() {\n";
  if (!command.commands.empty())
    result += "  local state line\n  local -a commands\n" + commands_of(command);
  result += command.commands.empty() ? "  _arguments -s -S" : "  _arguments -C -s -S";
  for (const auto& flag : command.flags)
    result += argument_of(flag);
  if (!command.commands.empty())
    result += " \\\n    '1:command:->command' \\\n    '*::argument:->rest'\n" + cases_of(command);
  return result + (command.commands.empty() ? "\n" : "") + "}\n\n";
}

} // namespace

std::string zsh_completion(const command_text& program) {
  std::string result = "#compdef troupe\n\n";
  for (const auto* command : all_commands(program))
    result += zsh_function(*command);
  return result + "if [ \"$funcstack[1]\" = _troupe ]; then\n  _troupe \"$@\"\nelse\n  compdef _troupe troupe\nfi\n";
}

} // namespace troupe::deploy

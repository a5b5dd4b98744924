#include "deploy/help/completion.hpp"

#include <algorithm>
#include <sstream>

namespace troupe::deploy {

namespace {

/// Completes a flag, a flag's value, a command or a file name. The flags, values and commands replace @FLAGS@, @VALUES@
/// and @COMMANDS@.
constexpr auto bash_script = R"(# bash completion for troupe
_troupe() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= i flags= commands=
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command ${COMP_WORDS[i]}" in
      *' --') return ;;
@KNOWN@
    esac
  done
  COMPREPLY=()
  case "$command $before" in
@VALUES@
  esac
  case "$command" in
@COMMANDS@
  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$word")
  elif [[ -n $commands ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word")
  else
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -F _troupe troupe
)";

void put(std::string& text, const std::string& mark, const std::string& value) {
  text.replace(text.find(mark), mark.size(), value);
}

/// Returns a case of the script: `'' key` sets the command to `key`, `'key' new` to `key new`.
std::string known_command(const command_text& command) {
  const auto name = short_name(command);
  const auto space = name.rfind(' ');
  const auto above = space == std::string::npos ? "" : name.substr(0, space);
  return "      '" + above + ' ' + name.substr(space + 1) + "') command='" + name + "' ;;\n";
}

std::string reply_of(const value_kind& kind) {
  if (!kind.choices.empty())
    return "mapfile -t COMPREPLY < <(compgen -W '" + CLI::detail::join(kind.choices, " ") + "' -- \"$word\")";
  if (kind.is_file || kind.is_directory)
    return std::string{"compopt -o filenames; mapfile -t COMPREPLY < <(compgen "} + (kind.is_file ? "-f" : "-d") +
           " -- \"$word\")";
  return ":"; // anything
}

std::string flag_values(const command_text& command) {
  std::string result;
  for (const auto& flag : command.flags)
    if (!flag.is_word() && !flag.value.empty())
      for (const auto& name : flag.names)
        result += "    '" + short_name(command) + ' ' + name + "') " + reply_of(kind_of(flag)) + "; return ;;\n";
  return result;
}

std::string flags_and_commands(const command_text& command) {
  std::string flags, commands;
  for (const auto& flag : command.flags)
    for (const auto& name : flag.names)
      if (name.starts_with("--"))
        flags += (flags.empty() ? "" : " ") + name;
  for (const auto& below : command.commands)
    commands += (commands.empty() ? "" : " ") + below.name.substr(command.name.size() + 1);
  for (const auto& flag : command.flags)
    if (flag.is_word())
      for (const auto& choice : kind_of(flag).choices)
        commands += (commands.empty() ? "" : " ") + choice;
  return "    '" + short_name(command) + "') flags='" + flags + "' commands='" + commands + "' ;;\n";
}

std::string fish_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text)
    if (c == '\'' || c == '\\')
      (result += '\\') += c;
    else
      result += c;
  return result + '\'';
}

/// Returns fish's condition that the line has this command and no subcommand of it.
std::string condition_of(const command_text& command) {
  if (short_name(command).empty())
    return "__fish_use_subcommand";
  std::istringstream words{short_name(command)};
  std::string result;
  for (std::string word; words >> word;)
    result += (result.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + word);
  std::string below;
  for (const auto& one : command.commands)
    below += ' ' + one.name.substr(command.name.size() + 1);
  return below.empty() ? result : result + "; and not __fish_seen_subcommand_from" + below;
}

std::string choices_of(const value_kind& kind) { return fish_quoted(CLI::detail::join(kind.choices, " ")); }

std::string values_of(const flag_text& flag) {
  const auto kind = kind_of(flag);
  if (!kind.choices.empty())
    return " -xa " + choices_of(kind);
  if (kind.is_directory)
    return " -xa '(__fish_complete_directories)'";
  return kind.is_file ? " -rF" : " -x";
}

std::string flag_line(const std::string& start, const flag_text& flag) {
  auto result = start;
  for (const auto& name : flag.names)
    result += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  return result + (flag.value.empty() ? "" : values_of(flag)) + " -d " + fish_quoted(flag.text) + '\n';
}

/// Quotes a text with single quotes; a backslash precedes characters that `_arguments` interprets.
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

/// Returns the action of a value, its name and how to complete it: `:FILE:_files`.
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

std::string bash_completion(const command_text& program) {
  std::string known, values, commands;
  for (const auto* command : all_commands(program)) {
    if (command != &program)
      known += known_command(*command);
    values += flag_values(*command);
    commands += flags_and_commands(*command);
  }
  for (auto* lines : {&known, &values, &commands})
    lines->pop_back();
  std::string result = bash_script;
  put(result, "@KNOWN@", known);
  put(result, "@VALUES@", values);
  put(result, "@COMMANDS@", commands);
  return result;
}

std::string fish_completion(const command_text& program) {
  std::string result = "# fish completion for troupe\ncomplete -c troupe -f\n";
  for (const auto* command : all_commands(program)) {
    const auto start = "complete -c troupe -n " + fish_quoted(condition_of(*command));
    for (const auto& below : command->commands)
      result += start + " -a " + below.name.substr(command->name.size() + 1) + " -d " + fish_quoted(below.text) + '\n';
    for (const auto& flag : command->flags)
      if (!flag.is_word())
        result += flag_line(start, flag);
      else if (const auto kind = kind_of(flag); kind.is_file || !kind.choices.empty())
        result += start + (kind.is_file ? " -F" : " -a " + choices_of(kind)) + '\n';
  }
  return result;
}

std::string zsh_completion(const command_text& program) {
  std::string result = "#compdef troupe\n\n";
  for (const auto* command : all_commands(program))
    result += zsh_function(*command);
  return result + "if [ \"$funcstack[1]\" = _troupe ]; then\n  _troupe \"$@\"\nelse\n  compdef _troupe troupe\nfi\n";
}

} // namespace troupe::deploy

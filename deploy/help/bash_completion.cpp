#include "deploy/help/completion.hpp"
#include "deploy/help/value_kind.hpp"

namespace troupe::deploy {

namespace {

/// The word that is completed is a flag, the value of the one before it, or the name of a command or of a file. What
/// the flags and commands are is put in for @FLAGS@, @VALUES@ and @COMMANDS@.
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

/// `'' key`, which makes `key` the command; `'key' new`, which makes it `key new`.
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

} // namespace troupe::deploy

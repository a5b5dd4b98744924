#include "deploy/help/completion.hpp"
#include "deploy/help/value_kind.hpp"

#include <sstream>

namespace troupe::deploy {

namespace {

std::string fish_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text)
    if (c == '\'' || c == '\\')
      (result += '\\') += c;
    else
      result += c;
  return result + '\'';
}

/// Whether the line so far has this command, and none below it.
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

} // namespace

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

} // namespace troupe::deploy

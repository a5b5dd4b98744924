#include "deploy/help/help_text.hpp"

#include <sstream>

namespace troupe::deploy {

namespace {

constexpr std::size_t text_column = 30;
constexpr auto without_group = "Options"; // as CLI11 calls the group of what has none
constexpr auto without_command_group = "Subcommands";

/// One entry of a list: a name, and behind it or on the next line what it is.
std::string entry(const std::string& name, const std::string& text, std::size_t width) {
  auto line = "  " + name;
  if (line.size() + 2 > text_column)
    line += '\n' + std::string(text_column, ' ');
  else
    line.resize(text_column, ' ');
  return line + wrapped(text, width, text_column, text_column) + '\n';
}

std::string flag_entry(const flag_text& flag, std::size_t width) {
  auto name =
      flag.is_word() ? flag.value : CLI::detail::join(flag.names, ", ") + (flag.value.empty() ? "" : ' ' + flag.value);
  auto text = flag.text;
  if (!flag.standard.empty() && text.find("(default") == std::string::npos)
    text += " (default: " + flag.standard + ')';
  return entry(name, text, width);
}

/// Lists what is in groups, in the order in which groups first come up.
template <class Items, class Entry>
std::string in_groups(const Items& items, const std::string& other, const std::string& other_title, Entry entry_of) {
  std::vector<std::string> groups;
  for (const auto& item : items)
    if (std::ranges::find(groups, item.group) == groups.end())
      groups.push_back(item.group);
  std::string result;
  for (const auto& group : groups) {
    result += '\n' + (group == other ? other_title : group) + ":\n";
    for (const auto& item : items)
      if (item.group == group)
        result += entry_of(item);
  }
  return result;
}

} // namespace

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent, std::size_t used) {
  std::string result;
  std::istringstream words{text};
  bool first = true;
  for (std::string word; words >> word; first = false) {
    if (!first && used + 1 + word.size() > width) {
      result += '\n' + std::string(indent, ' ');
      used = indent;
    } else if (!first) {
      result += ' ';
      ++used;
    }
    result += word;
    used += word.size();
  }
  return result;
}

std::string usage_of(const command_text& command) {
  auto result = command.name;
  if (!command.commands.empty())
    result += " COMMAND";
  result += " [flags]";
  for (const auto& flag : command.flags)
    if (flag.is_word())
      result += ' ' + (flag.required ? flag.value : '[' + flag.value + ']') + (flag.repeats ? "..." : "");
  return result;
}

std::string help_text(const command_text& command, std::size_t width) {
  auto result = wrapped(command.text, width, 0, 0) + "\n\nUsage: " + usage_of(command) + '\n';
  result += in_groups(command.commands, without_command_group, "Commands", [&](const auto& one) {
    return entry(one.name.substr(command.name.size() + 1), one.text, width);
  });
  result += in_groups(command.flags, without_group, "Flags", [&](const auto& one) { return flag_entry(one, width); });
  if (!command.notes.empty())
    result += '\n' + command.notes.substr(command.notes.find_first_not_of('\n'));
  if (result.back() != '\n')
    result += '\n';
  return result;
}

} // namespace troupe::deploy

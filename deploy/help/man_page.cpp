#include "deploy/help/man_page.hpp"

#include "deploy/help/help_text.hpp"
#include "deploy/help/manual_keys.hpp"
#include "deploy/help/topics.hpp"
#include "deploy/help/value_kind.hpp"

#include <sstream>

namespace troupe::deploy {

namespace {

/// Text with nothing in it that roff takes for its own.
std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text)
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n'))
      (result += "\\&") += c;
    else
      result += c;
  return result;
}

std::string head(const std::string& page, const std::string& section, const std::string& version,
                 const std::string& what) {
  return ".TH " + page + ' ' + section + " \"\" \"Troupe " + version + "\" \"Troupe\"\n.SH NAME\n" + roff(page) +
         " \\- " + what + '\n';
}

/// Paragraphs; lines that begin with two spaces stand as they are.
std::string paragraphs(std::string_view text) {
  std::istringstream lines{std::string{text}};
  std::string result;
  bool as_is = false, fresh = true;
  for (std::string line; std::getline(lines, line);) {
    const auto is_code = line.starts_with("  ");
    if (is_code != as_is)
      result += is_code ? ".PP\n.nf\n" : ".fi\n";
    as_is = is_code;
    if (line.empty())
      fresh = true;
    else
      result += (std::exchange(fresh, false) && !is_code ? ".PP\n" : "") + roff(line) + '\n';
  }
  return result + (as_is ? ".fi\n" : "");
}

std::string flag_entry_of_page(const flag_text& flag) {
  std::string names;
  if (!flag.is_word())
    for (const auto& name : flag.names)
      names += (names.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
  if (!flag.value.empty())
    names += (names.empty() ? "\\fI" : " \\fI") + roff(flag.value) + "\\fR";
  const auto standard = flag.standard.empty() ? "" : " (default: " + flag.standard + ')';
  return ".TP\n" + names + '\n' + roff(flag.text + standard) + '\n';
}

std::string command_section(const command_text& command) {
  auto result = ".SS " + roff(usage_of(command)) + '\n' + roff(command.text) + '\n';
  std::string group;
  for (const auto& flag : command.flags) {
    if (flag.names.back() == "--help")
      continue;
    if (flag.group != std::exchange(group, flag.group) && flag.group != "Options" && !flag.is_word())
      result += ".PP\n\\fI" + roff(flag.group) + "\\fR\n";
    result += flag_entry_of_page(flag);
  }
  if (!command.notes.empty())
    result += paragraphs(command.notes);
  return result;
}

std::string key_entry(const manual_key& key) {
  const auto kind = kind_text(key);
  return ".TP\n\\fB" + roff(key.path) + "\\fR" + (kind.empty() ? "" : " (" + roff(kind) + ")") + '\n' + roff(key.text) +
         '\n';
}

} // namespace

std::string program_page(const command_text& program, const std::string& version) {
  auto result = head("troupe", "1", version, "gateway for servers of the Model Context Protocol");
  result += ".SH SYNOPSIS\n.nf\n";
  for (const auto& command : program.commands)
    result += "\\fBtroupe\\fR " + roff(usage_of(command).substr(program.name.size() + 1)) + '\n';
  result += ".fi\n.SH DESCRIPTION\n" + roff(program.text) + "\n.SH COMMANDS\n";
  for (const auto* command : all_commands(program))
    if (command != &program && command->commands.empty())
      result += command_section(*command);
  for (const auto& topic : help_topics())
    result += ".SH " + std::string{topic.title} + '\n' + paragraphs(topic.text);
  return result + ".SH SEE ALSO\n.BR troupe.json (5)\n";
}

std::string file_page(const std::string& version) {
  auto result = head("troupe.json", "5", version, "configuration file of Troupe");
  result +=
      ".SH DESCRIPTION\n" + roff(file_summary()) +
      "\n.PP\n.B troupe check\nsays what is wrong with a file. Its name is free; \\fBNAME\\fR stands for the name of "
      "a server or of another thing.\n.SH KEYS\n";
  for (const auto& key : manual_keys())
    result += key_entry(key);
  return result + ".SH SEE ALSO\n.BR troupe (1)\n";
}

} // namespace troupe::deploy

#include "deploy/help/manual.hpp"

#include "deploy/help/help_text.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <sstream>

namespace troupe::deploy {

namespace {

/// Escapes a text for roff.
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

/// Formats paragraphs; lines that begin with two spaces are verbatim.
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
  const auto default_value = flag.default_value.empty() ? "" : " (default: " + flag.default_value + ')';
  return ".TP\n" + names + '\n' + roff(flag.text + default_value) + '\n';
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

using boost::json::object;
using boost::json::value;

std::string text_of(const value& of) { return of.is_string() ? std::string{of.get_string()} : serialize(of); }

/// Reads keys from the schema, with type names for users. Follows `$ref`.
class schema_reader {
public:
  schema_reader() : root_(boost::json::parse(config_schema())) {}

  std::string summary() const { return text_of(root_.at_pointer("/description")); }

  std::vector<manual_key> keys() {
    read_object("", root_.get_object());
    return std::move(keys_);
  }

private:
  const object& resolved(const object& schema) const {
    const auto* const reference = schema.if_contains("$ref");
    if (!reference)
      return schema;
    const std::string_view pointer = reference->get_string();
    return root_.at_pointer(pointer.substr(1)).as_object(); // skips the # of this document
  }

  void read_object(const std::string& above, const object& schema) {
    if (const auto* const properties = schema.if_contains("properties"))
      for (const auto& [name, of] : properties->get_object())
        if (of.is_object() && of.get_object().contains("description") && name != "$schema")
          read_key(above + std::string{name}, of.get_object());
    if (const auto* const others = schema.if_contains("additionalProperties"); others && others->is_object())
      read_object(above + "NAME.", resolved(others->get_object()));
  }

  void read_key(const std::string& path, const object& schema) {
    const auto* const default_value = schema.if_contains("default");
    keys_.push_back(
        {path, kind_of(schema), text_of(schema.at("description")), default_value ? text_of(*default_value) : ""});
    const auto& whole = resolved(schema);
    const auto is_servers = schema.contains("$ref") && schema.at("$ref") == "#/$defs/servers";
    if (!is_servers || !std::exchange(servers_told_, true))
      read_object(path + '.', whole);
  }

  std::string kind_of(const object& schema) const {
    const auto& whole = resolved(schema);
    if (&whole != &schema && text_of(schema.at("$ref")).starts_with("#/$defs/duration"))
      return "time";
    if (const auto* const values = whole.if_contains("enum"))
      return choices_of(values->as_array());
    if (const auto* const choices = whole.if_contains("anyOf"))
      return kinds_of(choices->as_array());
    const auto* const type = whole.if_contains("type");
    return type && type->is_string() ? word_of(type->get_string()) : "";
  }

  static std::string choices_of(const boost::json::array& values) {
    std::string result;
    for (const auto& one : values)
      result += (result.empty() ? "" : ", ") + text_of(one);
    return result;
  }

  std::string kinds_of(const boost::json::array& choices) const {
    std::vector<std::string> kinds;
    for (const auto& choice : choices)
      if (auto kind = choice.is_object() ? kind_of(choice.get_object()) : ""; !kind.empty())
        if (std::ranges::find(kinds, kind) == kinds.end())
          kinds.push_back(std::move(kind));
    std::string result;
    for (const auto& kind : kinds)
      result += (result.empty() ? "" : " or ") + kind;
    return result;
  }

  static std::string word_of(std::string_view type) {
    if (type == "string")
      return "text";
    if (type == "boolean")
      return "true or false";
    if (type == "array")
      return "list";
    return std::string{type == "integer" ? "number" : type};
  }

  value root_;
  std::vector<manual_key> keys_;
  bool servers_told_ = false;
};

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

std::string kind_text(const manual_key& key) {
  if (key.default_value.empty())
    return key.kind;
  return key.kind + (key.kind.empty() ? "" : ", ") + "default: " + key.default_value;
}

std::vector<manual_key> manual_keys() { return schema_reader{}.keys(); }

std::string file_summary() { return schema_reader{}.summary(); }

} // namespace troupe::deploy

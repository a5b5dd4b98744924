#include "deploy/import/imported_entry.hpp"

#include "deploy/config/client_conventions.hpp"
#include "deploy/config/config_server.hpp"
#include "protocol/text/json_value.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string_view>

namespace troupe::deploy {

namespace {

namespace json = boost::json;

constexpr std::string_view editor_input_mark = "input:";
constexpr std::string_view editor_env_mark = "env:";
constexpr std::string_view caller_mark = "principal.";

bool is_name_letter(unsigned char c) {
  return c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c >= '0' && c <= '9');
}

/// Returns the variable for an input: `PERPLEXITY_KEY` for `perplexity-key`.
std::string name_of_input(std::string_view id) {
  std::string result;
  for (const unsigned char c : id)
    result += !is_name_letter(c) ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c & ~0x20 : c);
  return result.empty() || (result.front() >= '0' && result.front() <= '9') ? "INPUT_" + result : result;
}

/// Splits a text: calls `plain(part)` for text between variables, `use(inside)` for the inside of `${…}`.
void for_each_part(std::string_view text, const auto& plain, const auto& use) {
  while (!text.empty()) {
    const auto begin = std::min(text.find("${"), text.size());
    plain(text.substr(0, begin));
    text.remove_prefix(begin);
    const auto end = text.find('}');
    if (end == std::string_view::npos) {
      plain(text);
      return;
    }
    use(text.substr(2, end - 2));
    text.remove_prefix(end + 1);
  }
}

bool begins_elsewhere(std::string_view path) {
  return path.starts_with('/') || path == "~" || path.starts_with("~/") || path.starts_with("${");
}

/// Translator of a client file's texts, so that they mean the same in a file elsewhere.
class import_texts {
public:
  import_texts(std::string folder, client_conventions conventions)
      : folder_(std::move(folder)), conventions_(conventions) {}

  /// Expands `${workspaceFolder}` and similar; replaces `${input:…}` by a variable.
  std::string text(std::string_view written) {
    std::string result;
    const auto common = with_common_variables(written, conventions_);
    for_each_part(
        common, [&](std::string_view part) { result += part; },
        [&](std::string_view inside) { result += replaced(inside); });
    return result;
  }

  /// Translates a path; relative ones become absolute.
  std::string place(std::string_view written) {
    auto path = text(written);
    if (path.empty() || begins_elsewhere(path))
      return path;
    return (std::filesystem::path(folder_) / path).lexically_normal().string();
  }

  /// Translates a program; a name without a slash is left for `PATH`.
  std::string program(std::string_view written) {
    return written.find('/') == written.npos ? text(written) : place(written);
  }

  /// Translates all texts in a value.
  json::value all_of(json::value value) {
    if (value.is_string())
      return json::value(text(value.as_string()));
    if (value.is_array())
      for (auto& one : value.as_array())
        one = all_of(std::move(one));
    if (value.is_object())
      for (auto& [name, one] : value.as_object())
        one = all_of(std::move(one));
    return value;
  }

  /// Variables that replace `${input:…}`, for which the client asked its user.
  const std::set<std::string>& asked() const { return asked_; }

private:
  std::string replaced(std::string_view inside) {
    if (inside == "workspaceFolder")
      return folder_;
    if (inside == "workspaceFolderBasename")
      return std::filesystem::path(folder_).filename().string();
    if (inside.starts_with(editor_input_mark)) {
      auto name = name_of_input(inside.substr(editor_input_mark.size()));
      asked_.insert(name);
      return "${" + name + '}';
    }
    if (inside.starts_with(editor_env_mark))
      inside.remove_prefix(editor_env_mark.size());
    return "${" + std::string(inside) + '}';
  }

  std::string folder_;
  client_conventions conventions_;
  std::set<std::string> asked_;
};

// Returns the names of the variables in a text that must be set.
std::vector<std::string> variables_of(std::string_view text) {
  std::vector<std::string> result;
  for_each_part(
      text, [](std::string_view) {},
      [&](std::string_view inside) {
        constexpr std::string_view known[] = {"userHome", "pathSeparator", "/", "workspaceFolder",
                                              "workspaceFolderBasename"};
        if (inside.starts_with(editor_env_mark))
          inside.remove_prefix(editor_env_mark.size());
        const auto is_name = std::ranges::all_of(inside, [](unsigned char c) { return is_name_letter(c); });
        if (is_name && !inside.empty() && !inside.starts_with(caller_mark) && !std::ranges::count(known, inside))
          result.emplace_back(inside);
      });
  return result;
}

constexpr std::int64_t least_milliseconds = 10'000;

/// Keys that come first in an entry, in this order.
constexpr std::string_view first_keys[] = {"command", "args", "env", "envFile", "cwd", "type", "url", "headers"};

std::string milliseconds_text(std::int64_t time) {
  constexpr std::int64_t second = 1000;
  return time % second == 0 ? std::to_string(time / second) + 's' : std::to_string(time) + "ms";
}

class entry_importer {
public:
  entry_importer(const found_server& found, const import_source& source)
      : own_(translate_entry(found.entry.value, found.conventions)), source_(source),
        texts_(source.folder, own_.conventions) {
    if (found.left_out)
      leave_out("is switched off by `mcp`");
  }

  imported_entry import() {
    for (const auto& member : own_.members)
      import_member(member.name, protocol::json_value(member.value.token()));
    finish();
    note_inputs();
    if (!result_.entry)
      return std::move(result_);
    result_.entry = sorted();
    return std::move(result_);
  }

private:
  void import_member(const std::string& name, json::value value) {
    if (name == "settings")
      is_of_zed_ = true;
    else if (name == "disabled" || name == "enabled")
      import_switch(name, value);
    else if (name == "command" && value.is_array())
      import_command_line(value.as_array());
    else if (name == "command")
      entry_["command"] = value.is_string() ? json::value(texts_.program(value.as_string())) : value;
    else if (name == "cwd" || name == "envFile" || name == "caFile")
      entry_[name] = value.is_string() ? json::value(texts_.place(value.as_string())) : value;
    else if (name == "args" || name == "env" || name == "url" || name == "headers")
      entry_[name] = texts_.all_of(std::move(value));
    else if (name == "type" || name == "transport")
      import_transport(value);
    else if (name == "timeout")
      import_timeout(value);
    else if (name == "includeTools" || name == "excludeTools" || (name == "tools" && value.is_array()))
      import_tools(name == "excludeTools" ? "deny" : "allow", std::move(value));
    else
      import_other(name, std::move(value));
  }

  void import_other(const std::string& name, json::value value) {
    const auto keys = server_keys();
    if (std::ranges::find(keys, name) != keys.end())
      entry_[name] = std::move(value);
    else
      result_.notes.push_back("`" + name + "` is not known and left out");
  }

  void import_switch(const std::string& name, const json::value& value) {
    if (value.is_bool() && value.as_bool() == (name == "disabled"))
      leave_out("is switched off");
  }

  void import_command_line(const json::array& words) {
    json::array arguments;
    for (const auto& word : words)
      arguments.push_back(texts_.all_of(word));
    if (arguments.empty() || !arguments.front().is_string())
      return leave_out("has no program");
    entry_["command"] = texts_.program(arguments.front().as_string());
    arguments.erase(arguments.begin());
    if (!arguments.empty())
      entry_["args"] = std::move(arguments);
  }

  /// Translates the transport. Programs need none; `http` tries both of HTTP.
  void import_transport(const json::value& value) {
    const auto name = value.is_string() ? std::string(value.as_string()) : "";
    if (name == "sse" || name == "http")
      entry_["type"] = name;
    else if (name.starts_with("streamable"))
      entry_["type"] = "streamable-http";
    else if (name != "stdio" && name != "local" && name != "remote")
      leave_out("is spoken to in a way that is not known here");
  }

  void import_timeout(const json::value& value) {
    if (const auto* const times = value.if_object()) {
      if (const auto* const request = times->if_contains("request"))
        import_timeout(*request);
      return;
    }
    const auto number = value.is_int64() ? value.as_int64() : 0;
    const auto is_milliseconds = number > 0 && (own_.conventions.milliseconds || number >= least_milliseconds);
    entry_["timeout"] = is_milliseconds ? json::value(milliseconds_text(number)) : value;
  }

  void import_tools(std::string_view key, json::value names) {
    if (!names.is_array())
      return;
    const auto& all = names.as_array();
    const auto any = std::ranges::any_of(all, [](auto& one) { return one.is_string() && one.as_string() == "*"; });
    if (key == "allow" && (any || all.empty())) {
      if (!any)
        tools_["deny"] = json::array{"*"};
      return;
    }
    if (!all.empty())
      tools_[key] = std::move(names);
  }

  void finish() {
    if (!tools_.empty())
      entry_.emplace("tools", tools_);
    const auto is_program = entry_.contains("command");
    if (is_program == entry_.contains("url"))
      leave_out(is_program   ? "has both a program and a URL"
                : is_of_zed_ ? "is of an extension of Zed, which alone knows its command"
                             : "has neither a program nor a URL");
    if (is_program)
      entry_.erase("type");
    if (is_program && source_.starts_in_folder)
      entry_.emplace("cwd", source_.folder);
    if (!is_left_out_)
      result_.entry = std::move(entry_);
  }

  void leave_out(std::string why) {
    if (!is_left_out_)
      result_.notes.insert(result_.notes.begin(), std::move(why));
    is_left_out_ = true;
  }

  void note_inputs() {
    for (const auto& name : texts_.asked())
      result_.notes.push_back("asked its user for what the variable `" + name + "` has to have now");
  }

  json::object sorted() {
    json::object result;
    for (const auto key : first_keys)
      if (auto* const value = result_.entry->if_contains(key))
        result.emplace(key, std::move(*value));
    for (auto& [name, value] : *result_.entry)
      result.emplace(name, std::move(value));
    return result;
  }

  client_entry own_;
  const import_source& source_;
  import_texts texts_;
  json::object entry_;
  json::object tools_;
  bool is_of_zed_ = false;
  bool is_left_out_ = false;
  imported_entry result_;
};

void add_variables(const json::value& value, std::set<std::string>& to) {
  if (value.is_object())
    for (const auto& [name, one] : value.as_object())
      add_variables(one, to);
  else if (value.is_array())
    for (const auto& one : value.as_array())
      add_variables(one, to);
  else if (value.is_string())
    for (auto& name : variables_of(value.as_string()))
      to.insert(std::move(name));
}

} // namespace

imported_entry import_entry(const found_server& found, const import_source& source) {
  return entry_importer{found, source}.import();
}

std::vector<std::string> variables_in(const json::object& entry) {
  std::set<std::string> names;
  for (const auto& [name, value] : entry)
    add_variables(value, names);
  return {names.begin(), names.end()};
}

} // namespace troupe::deploy

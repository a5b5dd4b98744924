#include "deploy/import/merged_import.hpp"

#include "deploy/config/config_file.hpp"
#include "deploy/config/config_keys.hpp"
#include "deploy/config/file_text.hpp"
#include "deploy/import/codex_file.hpp"
#include "protocol/catalog/merged_names.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/url.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>

namespace troupe::deploy {

namespace {

namespace json = boost::json;

constexpr std::size_t longest_json_line = 80;

void write_value(std::string& to, const json::value& value, std::size_t depth);

/// Writes elements or members between brackets, a line each; `each` writes one.
void write_lines(std::string& to, const auto& all, std::string_view brackets, std::size_t depth, const auto& each) {
  to += brackets.front();
  const char* separator = "\n";
  for (const auto& one : all) {
    to += separator + std::string(2 * (depth + 1), ' ');
    each(one);
    separator = ",\n";
  }
  to += '\n' + std::string(2 * depth, ' ') + brackets.back();
}

std::string on_one_line(const json::value& value) {
  std::string result;
  const char* separator = "";
  if (value.is_array()) {
    for (const auto& one : value.as_array()) {
      result += separator + on_one_line(one);
      separator = ", ";
    }
    return '[' + result + ']';
  }
  if (!value.is_object())
    return json::serialize(value);
  for (const auto& [name, one] : value.as_object()) {
    result += separator + json::serialize(name) + ": " + on_one_line(one);
    separator = ", ";
  }
  return '{' + result + '}';
}

void write_value(std::string& to, const json::value& value, std::size_t depth) {
  // The whole file, and its list of servers, are never on one line.
  constexpr std::size_t spread = 3;
  const auto line = on_one_line(value);
  const auto is_short = depth >= spread && line.size() <= longest_json_line;
  if (value.is_object() && !value.as_object().empty() && !is_short)
    write_lines(to, value.as_object(), "{}", depth, [&](const auto& member) {
      to += json::serialize(member.key()) + ": ";
      write_value(to, member.value(), depth + 1);
    });
  else if (value.is_array() && !value.as_array().empty() && !is_short)
    write_lines(to, value.as_array(), "[]", depth, [&](const auto& element) { write_value(to, element, depth + 1); });
  else
    to += line;
}

/// Limit of a generated name, in bytes: tool names are cut, and longer server names might not tell them apart.
constexpr std::size_t longest_made = 48;

/// Cuts a text to up to `size` bytes, at the end of a character.
std::string beginning(const std::string& text, std::size_t size) {
  while (size < text.size() && size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80)
    --size;
  return text.substr(0, size);
}

/// Replaces characters that cannot be in a path. Some clients have names such as `github.com/owner/server`.
std::string usable_name(const std::string& name) {
  if (is_server_name(name))
    return name;
  auto result = beginning(name, longest_made);
  for (auto& c : result)
    if (c == '/' || static_cast<unsigned char>(c) < ' ' || c == '\x7f')
      c = '-';
  return is_server_name(result) ? result : "server";
}

/// Shortens `__`, the separator after a prefix, to `_`: tools of a server `a__b` could be mistaken for those of `a`.
std::string without_marks(const std::string& name) {
  auto result = protocol::clean_prefix(name);
  auto at = result.find(protocol::prefix_separator);
  if (at == result.npos)
    return name;
  for (; at != result.npos; at = result.find(protocol::prefix_separator))
    result.erase(at, 1);
  return result == "_" ? "server" : result;
}

/// Returns a client's name for use in a server's: `claude-desktop` for `Claude Desktop`.
std::string slug_of(const std::string& client) {
  std::string result;
  for (const char c : client)
    result += c == ' ' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return result;
}

/// Returns a configuration file with only this server.
std::string alone(const std::string& name, const json::object& entry) {
  return json::serialize(json::object{{"mcpServers", json::object{{name, entry}}}});
}

/// Removes files that are not regular: reading a pipe or a terminal could block.
json::object without_pipes(json::object entry) {
  for (const auto* const key : {"envFile", "caFile"}) {
    const auto* const path = entry.if_contains(key);
    std::error_code ignored;
    const auto is = path && path->is_string() ? std::filesystem::status(std::string(path->as_string()), ignored)
                                              : std::filesystem::file_status{};
    if (std::filesystem::exists(is) && !std::filesystem::is_regular_file(is))
      entry.erase(key);
  }
  return entry;
}

/// Returns why the gateway would refuse the entry even with all variables set; empty when it would not.
std::string why_refused(const std::string& name, const json::object& entry, const std::string& folder) {
  auto set = [](const std::string& variable) -> std::optional<std::string> {
    auto real = process_variable(variable);
    return real && !real->empty() ? real : "http://value";
  };
  for (const auto& problem : read_config(alone(name, without_pipes(entry)), folder, set).problems)
    if (problem.severity == severity::error)
      return (problem.key.empty()
                  ? ""
                  : problem.key.substr(std::min(problem.key.find('.') + 1, problem.key.size())) + ": ") +
             problem.text;
  return {};
}

/// Content of a client's file as JSON, or the reason why it cannot be read.
struct read_text {
  std::string json;
  std::string why_not;
};

read_text read_file_text(std::string text) {
  if (const auto format = format_of(text); format == text_format::toml) {
    auto codex = read_codex_file(text);
    return {std::move(codex.json), std::move(codex.why_not)};
  } else if (format == text_format::yaml) {
    return {{}, "is YAML, which is not read: write its servers as JSON"};
  }
  blank_comments(text);
  if (protocol::trimmed(text).empty())
    return {"{}", {}};
  if (const auto error = protocol::json_error(text))
    return {{}, "is no valid JSON: " + *error};
  return {std::move(text), {}};
}

/// True if the entry starts Troupe, or connects to it at its usual local address. A gateway that served such a server
/// would send requests to itself without end.
bool leads_to_troupe_here(const json::object& entry) {
  constexpr std::uint16_t usual_port = 8080;
  const auto url_here = [](const json::value& value) {
    std::string ignored;
    auto url = value.is_string() ? protocol::parse_http_url(value.as_string(), ignored) : std::nullopt;
    return url && url->is_here() ? url : std::nullopt;
  };
  const auto* const command = entry.if_contains("command");
  const auto* const args = entry.if_contains("args");
  if (command && command->is_string() && args && args->is_array())
    return std::filesystem::path(std::string(command->as_string())).filename() == "troupe" &&
           !args->as_array().empty() && args->as_array().front() == "connect" &&
           std::ranges::any_of(args->as_array(), [&](auto& word) { return url_here(word).has_value(); });
  const auto* const place = entry.if_contains("url");
  const auto url = place ? url_here(*place) : std::nullopt;
  return url && url->port == usual_port &&
         (url->target == "/mcp" || url->target == "/sse" || url->target.starts_with("/servers/"));
}

std::string join(const std::vector<std::string>& texts) {
  std::string result;
  for (const auto& text : texts)
    result += (result.empty() ? "" : "; ") + text;
  return result;
}

} // namespace

std::string json_text(const json::value& value) {
  std::string result;
  write_value(result, value, 0);
  return result + '\n';
}

imported_file merged_import::add(const client_config& place, std::string text) {
  imported_file result{place.client, place.path, {}, {}};
  auto read = read_file_text(std::move(text));
  result.why_not = std::move(read.why_not);
  if (!result.why_not.empty())
    return result;
  const auto directory = std::filesystem::path(place.path).parent_path();
  const import_source source{place.client, workspace_of(directory.string()), place.of_folder};
  config_report report{read.json};
  const auto sections = sections_of(config_value{report, protocol::trimmed(read.json)},
                                    conventions_of_folder(directory.filename().string()));
  add_all(sections.servers, source, result);
  for (const auto& [folder, at, servers] : sections.projects) {
    if (folder == folder_)
      add_all(servers, {place.client, folder, true}, result);
    else
      result.lines.push_back("`projects." + folder + "`: " + std::to_string(servers.size()) +
                             " left out, run `troupe import` in that folder for them");
  }
  for (const auto& problem : report.problems())
    result.lines.push_back(problem.key + ": " + problem.text);
  return result;
}

void merged_import::add_all(const std::vector<found_server>& found, const import_source& source, imported_file& to) {
  for (const auto& server : found) {
    ++to.servers;
    to.lines.push_back(server.entry.name + ": " + add_one(server, source, to));
  }
}

std::string merged_import::add_one(const found_server& found, const import_source& source, imported_file& to) {
  if (!found.entry.value.is_object())
    return "left out, it is no object";
  auto imported = import_entry(found, source);
  if (!imported.entry)
    return "left out, it " + join(imported.notes);
  if (leads_to_troupe_here(*imported.entry))
    return "left out, it leads to Troupe on this machine";
  const auto same = std::ranges::find(servers_, *imported.entry, &kept::entry);
  if (same != servers_.end())
    return "the same as `" + same->name + "`" + (same->client.empty() ? "" : " of " + same->client) + ", taken once";
  const auto name = usable_name(found.entry.name);
  auto own = free_name(name, source.client);
  if (const auto why = why_refused(own, *imported.entry, source.folder); !why.empty())
    return "left out, " + why;
  ++to.taken;
  const auto notes = imported.notes.empty() ? "" : "; " + join(imported.notes);
  auto line = own == found.entry.name ? "taken" + notes
              : own == name           ? "taken as `" + own + "`, as names have no `/`" + notes
                                      : "taken as `" + own + "`, as there is another of its name" + notes;
  servers_.push_back({std::move(own), source.client, std::move(*imported.entry)});
  return line;
}

bool merged_import::is_free(const std::string& name) const {
  const auto stem = [](const std::string& one) { return protocol::name_stem(protocol::clean_prefix(one)); };
  return std::ranges::none_of(
      servers_, [&](auto& one) { return one.name == name || protocol::may_share_names(stem(one.name), stem(name)); });
}

std::string merged_import::free_name(const std::string& name, const std::string& client) const {
  if (is_free(name))
    return name;
  const auto base = without_marks(name);
  const auto suffix = client.empty() ? std::string() : '-' + slug_of(client);
  for (std::size_t i = 1;; ++i) {
    const auto end = i == 1 ? suffix : suffix + '-' + std::to_string(i);
    const auto room = longest_made - std::min(end.size(), longest_made);
    auto candidate = (base.size() + end.size() > longest_made ? beginning(base, room) : base) + end;
    if (is_free(candidate))
      return candidate;
  }
}

std::size_t merged_import::secrets() const {
  std::size_t result = 0;
  for (const auto& one : servers_)
    result += count_secrets(one.entry);
  return result;
}

std::vector<std::string> merged_import::variables() const {
  std::set<std::string> result;
  for (const auto& one : servers_)
    result.merge([&] {
      const auto names = variables_in(one.entry);
      return std::set<std::string>(names.begin(), names.end());
    }());
  return {result.begin(), result.end()};
}

taken_secrets merged_import::take_secrets() {
  std::string texts;
  for (const auto& one : servers_)
    texts += json::serialize(one.entry);
  secret_taker taker{std::move(texts), process_variable};
  for (auto& one : servers_)
    taker.extract_from(one.name, one.entry);
  return taker.taken();
}

std::string merged_import::text(const std::string& schema) const {
  json::object servers;
  for (const auto& one : servers_)
    servers.emplace(one.name, one.entry);
  json::object file;
  if (!schema.empty())
    file.emplace("$schema", schema);
  file.emplace("mcpServers", std::move(servers));
  return json_text(file);
}

} // namespace troupe::deploy

#include "deploy/config/config_sections.hpp"

#include "protocol/text/json.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>

namespace troupe::deploy {

namespace {

/// Keys whose value has servers by name.
constexpr std::string_view server_sections[] = {"mcpServers",  "servers",     "context_servers",
                                                "mcp_servers", "mcp.servers", "amp.mcpServers"};
/// Keys of client files next to the servers, without use for a gateway.
constexpr std::string_view beside_servers[] = {"inputs", "mcp.inputs", "$schema", "globalShortcut", "preferences"};

constexpr std::string_view client_folders[] = {".amazonq", ".claude",   ".codex",    ".cursor", ".gemini",
                                               ".idea",    ".kilocode", ".opencode", ".qwen",   ".roo",
                                               ".trae",    ".vscode",   ".windsurf", ".zed"};

bool is_listed(std::string_view name, const auto& names) { return std::ranges::find(names, name) != std::end(names); }

std::set<std::string> names_in_list(const config_value& value) {
  const auto texts = value.token().starts_with('[') ? value.texts() : std::vector<std::string>{};
  return {texts.begin(), texts.end()};
}

/// Sorts the members of a file.
class section_finder {
public:
  section_finder(const config_value& root, const client_conventions& conventions)
      : root_(root), conventions_(conventions) {}

  file_sections find() {
    for (const auto& member : root_.members())
      add_member(member);
    for (auto& server : result_.servers)
      server.left_out =
          excluded_.contains(server.entry.name) || (!allowed_.empty() && !allowed_.contains(server.entry.name));
    return std::move(result_);
  }

private:
  void add_member(const config_member& member) {
    const auto& [name, value] = member;
    if (is_listed(name, server_sections))
      add_servers(value, result_.servers);
    else if (name == "gateway")
      result_.gateway = value;
    else if (name == "mcp")
      add_mcp(value);
    else if (name == "projects")
      add_projects(value);
    else if (!is_listed(name, beside_servers))
      result_.unknown.push_back(member);
  }

  void add_servers(const config_value& value, std::vector<found_server>& to) const {
    if (value.token().starts_with('['))
      return add_list(value, to);
    for (auto& entry : value.members())
      to.push_back({std::move(entry), conventions_});
  }

  /// Adds the elements of a list, each with a `name`, as in Continue.
  void add_list(const config_value& list, std::vector<found_server>& to) const {
    for (const auto& element : list.elements()) {
      const auto token =
          element.is_object() ? protocol::find_member(element.token(), {"name"}) : std::optional<std::string_view>{};
      auto name = token ? protocol::string_value(*token) : std::nullopt;
      if (name)
        to.push_back({{std::move(*name), element}, conventions_});
      else
        element.error("must be an object with a `name`");
    }
  }

  /// Reads `mcp`: VS Code has `servers` in it, OpenCode the servers, Gemini CLI the names of those enabled.
  void add_mcp(const config_value& value) {
    for (const auto& member : value.members()) {
      if (member.name == "servers")
        add_servers(member.value, result_.servers);
      else if (member.name == "allowed")
        allowed_.merge(names_in_list(member.value));
      else if (member.name == "excluded")
        excluded_.merge(names_in_list(member.value));
      else if (looks_like_server(member.value))
        result_.servers.push_back({member, opencode_conventions()});
    }
  }

  void add_projects(const config_value& value) {
    if (!value.is_object())
      return;
    for (const auto& project : value.members()) {
      if (!project.value.is_object())
        continue;
      for (const auto& member : project.value.members()) {
        std::vector<found_server> servers;
        if (member.name == "mcpServers" && member.value.is_object())
          add_servers(member.value, servers);
        if (!servers.empty())
          result_.projects.push_back({project.name, member.value, std::move(servers)});
      }
    }
  }

  const config_value& root_;
  client_conventions conventions_;
  file_sections result_;
  std::set<std::string> allowed_;
  std::set<std::string> excluded_;
};

} // namespace

file_sections sections_of(const config_value& root, const client_conventions& conventions) {
  return section_finder{root, conventions}.find();
}

std::vector<std::string_view> section_keys() {
  std::vector<std::string_view> result(std::begin(server_sections), std::end(server_sections));
  result.insert(result.end(), {"mcp", "projects"});
  return result;
}

bool looks_like_server(const config_value& value) {
  constexpr std::string_view marks[] = {"command", "url", "serverUrl", "httpUrl", "type", "enabled"};
  return value.is_object() && std::ranges::any_of(marks, [&](auto mark) {
           return protocol::find_member(value.token(), {mark}).has_value();
         });
}

std::string workspace_of(const std::string& directory) {
  const std::filesystem::path path{directory};
  return is_listed(path.filename().string(), client_folders) ? path.parent_path().string() : directory;
}

} // namespace troupe::deploy

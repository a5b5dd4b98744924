#pragma once

#include "deploy/config/client_conventions.hpp"
#include "deploy/config/config_value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Entry of a server in a file, and the habits of its client as its section reveals them.
struct found_server {
  config_member entry;
  client_conventions conventions;
  /// True if a list next to the servers disables the entry, as in Gemini CLI.
  bool left_out = false;
};

/// Servers of a single folder in a file of Claude Code.
struct project_servers {
  std::string folder;
  config_value at;
  std::vector<found_server> servers;
};

/// Parts of a configuration file of any client.
struct file_sections {
  std::vector<found_server> servers;
  std::vector<project_servers> projects;
  std::optional<config_value> gateway;
  std::vector<config_member> unknown;
};

/// Finds the servers under Troupe's own keys and under `mcpServers` (most clients), `servers` (VS Code),
/// `context_servers` (Zed), `mcp` (OpenCode, and VS Code settings) and others. `conventions` are those of the file.
file_sections sections_of(const config_value& root, const client_conventions& conventions);

/// Returns the keys under which a file has servers.
std::vector<std::string_view> section_keys();

/// True if a value has the form of a server's entry.
bool looks_like_server(const config_value& value);

/// Returns the base of relative paths and `${workspaceFolder}` for a file in `directory`. If that is a client's folder
/// in a workspace, such as `.vscode`, the base is the folder above.
std::string workspace_of(const std::string& directory);

} // namespace troupe::deploy

#pragma once

#include "deploy/config/client_words.hpp"
#include "deploy/config/config_value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// A server's entry in a file, and what its section tells of who wrote it.
struct found_server {
  config_member entry;
  client_habits habits;
  /// Switched off by a list beside the servers, which Gemini CLI has.
  bool left_out = false;
};

/// The servers that Claude Code has for one folder only.
struct project_servers {
  std::string folder;
  config_value at;
  std::vector<found_server> servers;
};

/// The parts of a configuration file, whichever client's it is.
struct file_sections {
  std::vector<found_server> servers;
  std::vector<project_servers> projects;
  std::optional<config_value> gateway;
  std::vector<config_member> unknown;
};

/// Finds the servers of Troupe's own file and of `mcpServers` (most clients), `servers` (VS Code), `context_servers`
/// (Zed), `mcp` (OpenCode, and the settings of VS Code) and others. `habits` are those of the file.
file_sections sections_of(const config_value& root, const client_habits& habits);

/// The keys of a file that have servers in them.
std::vector<std::string_view> section_keys();

/// Whether a value has what the entry of a server has.
bool looks_like_server(const config_value& value);

/// Where relative paths and `${workspaceFolder}` begin for a file in `directory`: in the folder above, when that is a
/// client's folder in a workspace, such as `.vscode`.
std::string workspace_of(const std::string& directory);

} // namespace troupe::deploy

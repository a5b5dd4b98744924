#include "deploy/import/client_config_files.hpp"

#include <algorithm>
#include <iterator>

namespace troupe::deploy {

namespace {

struct known_file {
  std::string_view client;
  std::string_view path;
};

/// Paths below the user's home.
constexpr known_file home_files[] = {
    {"Claude Desktop", "Library/Application Support/Claude/claude_desktop_config.json"},
    {"Claude Code", ".claude.json"},
    {"Cursor", ".cursor/mcp.json"},
    {"Windsurf", ".codeium/windsurf/mcp_config.json"},
    {"Windsurf", ".codeium/mcp_config.json"},
    {"Gemini CLI", ".gemini/settings.json"},
    {"Qwen Code", ".qwen/settings.json"},
    {"Zed", "Library/Application Support/Zed/settings.json"},
    {"Codex", ".codex/config.toml"},
    {"Copilot CLI", ".copilot/mcp-config.json"},
    {"LM Studio", ".lmstudio/mcp.json"},
    {"Amazon Q", ".aws/amazonq/mcp.json"},
    {"Amazon Q", ".aws/amazonq/default.json"},
    {"Amazon Q", ".aws/amazonq/agents/default.json"},
    {"Kiro", ".kiro/settings/mcp.json"},
    {"Junie", ".junie/mcp/mcp.json"},
    {"Continue", ".continue/config.yaml"},
    {"Cline", ".cline/data/settings/cline_mcp_settings.json"},
    {"Kilo Code", ".kilocode/cli/global/settings/mcp_settings.json"}};

/// Paths below the folder for settings, usually `~/.config`.
constexpr known_file settings_files[] = {{"Claude Desktop", "Claude/claude_desktop_config.json"},
                                         {"Zed", "zed/settings.json"},
                                         {"OpenCode", "opencode/opencode.json"},
                                         {"OpenCode", "opencode/opencode.jsonc"},
                                         {"Amp", "amp/settings.json"},
                                         {"Goose", "goose/config.yaml"}};

/// Paths below the settings folder of VS Code or an editor derived from it.
constexpr known_file editor_files[] = {
    {"VS Code", "User/mcp.json"},
    {"VS Code", "User/settings.json"},
    {"Cline", "User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"},
    {"Roo Code", "User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"},
    {"Kilo Code", "User/globalStorage/kilocode.kilo-code/settings/mcp_settings.json"}};
constexpr std::string_view editors[] = {"Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf", "Trae"};

/// Paths below a project's folder.
constexpr known_file folder_files[] = {{"Claude Code", ".mcp.json"},
                                       {"Cursor", ".cursor/mcp.json"},
                                       {"VS Code", ".vscode/mcp.json"},
                                       {"VS Code", ".vscode/settings.json"},
                                       {"Gemini CLI", ".gemini/settings.json"},
                                       {"Qwen Code", ".qwen/settings.json"},
                                       {"Zed", ".zed/settings.json"},
                                       {"Roo Code", ".roo/mcp.json"},
                                       {"Kilo Code", ".kilocode/mcp.json"},
                                       {"Trae", ".trae/mcp.json"},
                                       {"Codex", ".codex/config.toml"},
                                       {"Amazon Q", ".amazonq/mcp.json"},
                                       {"Amazon Q", ".amazonq/default.json"},
                                       {"OpenCode", "opencode.json"},
                                       {"OpenCode", "opencode.jsonc"},
                                       {"Kiro", ".kiro/settings/mcp.json"},
                                       {"Junie", ".junie/mcp/mcp.json"}};

/// File names that only one client uses.
constexpr known_file telling_names[] = {{"Claude Desktop", "claude_desktop_config.json"},
                                        {"Cline", "cline_mcp_settings.json"},
                                        {"Windsurf", "mcp_config.json"},
                                        {"Copilot CLI", "mcp-config.json"}};

class place_list {
public:
  void add(const std::string& from, const auto& files, bool of_folder) {
    for (const auto& [client, path] : files) {
      auto whole = from + '/' + std::string(path);
      if (!std::ranges::count(places_, whole, &client_config::path))
        places_.push_back({std::string(client), std::move(whole), of_folder});
    }
  }

  std::vector<client_config> release() { return std::move(places_); }

private:
  std::vector<client_config> places_;
};

bool ends_with_path(std::string_view path, std::string_view tail) {
  return path == tail || (path.ends_with(tail) && path[path.size() - tail.size() - 1] == '/');
}

} // namespace

std::vector<client_config> client_config_files(const std::string& home, const std::string& settings,
                                               const std::string& folder) {
  place_list result;
  result.add(settings, settings_files, false);
  result.add(home, home_files, false);
  for (const auto& from : {settings, home + "/Library/Application Support", home + "/.vscode-server/data"})
    for (const auto editor : editors)
      result.add(from.ends_with("/data") ? from : from + '/' + std::string(editor), editor_files, false);
  result.add(folder, folder_files, true);
  return result.release();
}

std::optional<std::string> client_of(std::string_view path) {
  const auto find = [&](const auto& files) -> std::optional<std::string> {
    const auto found = std::ranges::find_if(files, [&](auto& one) { return ends_with_path(path, one.path); });
    return found == std::end(files) ? std::nullopt : std::optional(std::string(found->client));
  };
  for (auto client :
       {find(home_files), find(settings_files), find(editor_files), find(folder_files), find(telling_names)})
    if (client)
      return client;
  return std::nullopt;
}

} // namespace troupe::deploy

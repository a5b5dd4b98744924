#include "deploy/import/client_config_files.hpp"

#include "deploy/import/init_run.hpp"

#include "deploy/config/config_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace troupe::tests::client_config_files_test {

using namespace deploy;

TEST(client_config_files, are_in_the_folders_of_the_user_and_of_the_project) {
  const auto places = client_config_files("/h", "/h/.config", "/p");
  for (const auto& one : std::vector<client_config>{
           {"Claude Desktop", "/h/.config/Claude/claude_desktop_config.json"},
           {"Claude Desktop", "/h/Library/Application Support/Claude/claude_desktop_config.json"},
           {"Claude Code", "/h/.claude.json"},
           {"Claude Code", "/p/.mcp.json", true},
           {"Cursor", "/h/.cursor/mcp.json"},
           {"Cursor", "/p/.cursor/mcp.json", true},
           {"VS Code", "/h/.config/Code/User/mcp.json"},
           {"VS Code", "/h/Library/Application Support/Code/User/settings.json"},
           {"VS Code", "/h/.vscode-server/data/User/mcp.json"},
           {"VS Code", "/p/.vscode/mcp.json", true},
           {"Windsurf", "/h/.codeium/windsurf/mcp_config.json"},
           {"Gemini CLI", "/h/.gemini/settings.json"},
           {"Zed", "/h/.config/zed/settings.json"},
           {"Cline", "/h/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"},
           {"Roo Code", "/h/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"},
           {"Codex", "/h/.codex/config.toml"},
           {"Copilot CLI", "/h/.copilot/mcp-config.json"},
           {"OpenCode", "/h/.config/opencode/opencode.json"},
           {"OpenCode", "/p/opencode.jsonc", true},
           {"LM Studio", "/h/.lmstudio/mcp.json"},
           {"Amazon Q", "/h/.aws/amazonq/mcp.json"}})
    EXPECT_EQ(std::ranges::count(places, one), 1) << one.path;
}

TEST(client_config_files, are_looked_at_once_in_the_folder_of_the_user) {
  std::set<std::string> paths;
  for (const auto& one : client_config_files("/h", "/h/.config", "/h"))
    EXPECT_TRUE(paths.insert(one.path).second) << one.path;
}

TEST(client_config_files, tell_whose_a_file_is) {
  EXPECT_EQ(client_of("/x/.cursor/mcp.json"), "Cursor");
  EXPECT_EQ(client_of("/x/claude_desktop_config.json"), "Claude Desktop");
  EXPECT_EQ(client_of("/x/.config/Code/User/settings.json"), "VS Code");
  EXPECT_EQ(client_of("/x/.mcp.json"), "Claude Code");
  EXPECT_EQ(client_of("/x/a.mcp.json"), std::nullopt);
  EXPECT_EQ(client_of("mcp.json"), std::nullopt);
}

TEST(first_file, is_good_as_it_is_written) {
  const auto text = first_file("/s.json", "a\"b", {"x", "-y", "c\\d"});
  const auto file = read_config(text, "/", [](const std::string&) { return std::nullopt; });
  EXPECT_EQ(file.problems, std::vector<config_problem>{});
  ASSERT_EQ(file.gateway.servers.size(), 1u);
  EXPECT_EQ(file.gateway.servers.front().name, "a\"b");
  const command_server expected{.program = "x", .arguments = {"-y", "c\\d"}};
  EXPECT_EQ(std::get<command_server>(file.gateway.servers.front().source), expected);
}

TEST(first_file, is_good_with_all_that_it_proposes) {
  auto text = first_file("/s.json", "a", {"x"});
  for (const std::string_view line :
       {"// \"github\"", "//   \"url\"", "//   \"headers\"", "//   \"tools\"", "//   \"timeout\"", "// }",
        "// \"memory\"", "//   \"command\"", "//   \"env\"", "//   \"sharing\"", "// \"port\"", "// \"log\""})
    for (auto at = text.find(line); at != text.npos; at = text.find(line))
      text.erase(at, 2);
  const auto file = read_config(text, "/", [](const std::string& name) { return std::optional(name); });
  EXPECT_EQ(file.problems, std::vector<config_problem>{});
  EXPECT_EQ(file.gateway.servers.size(), 3u);
}

TEST(first_file, names_a_server_by_its_command) {
  using words = std::vector<std::string>;
  EXPECT_EQ(name_of_command(words{"npx", "-y", "@modelcontextprotocol/server-everything@1.2"}), "everything");
  EXPECT_EQ(name_of_command(words{"uvx", "mcp-server-git"}), "git");
  EXPECT_EQ(name_of_command(words{"/opt/bin/my-mcp-server", "--x"}), "my");
  EXPECT_EQ(name_of_command(words{"node", "/srv/notes/index.js"}), "index");
  EXPECT_EQ(name_of_command(words{"npx"}), "npx");
  EXPECT_EQ(name_of_command(words{"/"}), "server");
}

} // namespace troupe::tests::client_config_files_test

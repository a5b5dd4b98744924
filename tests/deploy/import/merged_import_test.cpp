// Configuration files of clients, as printed in the clients' documentation, merged into one.
#include "deploy/import/merged_import.hpp"

#include "deploy/config/config_file.hpp"
#include "deploy/import/codex_file.hpp"
#include "protocol/text/json.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sys/stat.h>

namespace troupe::tests::merged_import_test {

using namespace deploy;

namespace {

namespace json = boost::json;
using lines = std::vector<std::string>;

/// A client's file, imported for the folder `/src/shop`.
struct read_alone {
  explicit read_alone(const client_config& place, std::string text) : file(merged.add(place, std::move(text))) {}

  json::object entry(const std::string& name) const {
    return json::parse(merged.text("")).at("mcpServers").at(name).as_object();
  }

  merged_import merged{"/src/shop"};
  imported_file file;
};

json::object object(const std::string& text) { return json::parse(text).as_object(); }

const client_config cursor{"Cursor", "/home/ann/.cursor/mcp.json"};
const client_config desktop{"Claude Desktop", "/home/ann/.config/Claude/claude_desktop_config.json"};

std::string servers(const std::string& members) { return R"({"mcpServers": {)" + members + "}}"; }

} // namespace

TEST(merged_import, takes_alike_servers_once) {
  merged_import merged{"/"};
  EXPECT_EQ(merged.add(desktop, servers(R"("a": {"command": "x", "args": [], "env": {"A": "1", "B": "2"}})")).lines,
            lines{"a: taken"});
  EXPECT_EQ(
      merged
          .add(cursor, servers(R"("a": {"env": {"B": "2", "A": "1"}, "args": [], "command": "x", "type": "stdio"},
    "b": {"command": "x", "args": [], "env": {"A": "1", "B": "2"}, "autoApprove": ["t"]})"))
          .lines,
      (lines{"a: the same as `a` of Claude Desktop, taken once", "b: the same as `a` of Claude Desktop, taken once"}));
  EXPECT_EQ(merged.size(), 1u);
}

TEST(merged_import, leaves_out_what_leads_to_troupe_on_this_machine) {
  merged_import merged{"/"};
  const std::string why = ": left out, it leads to Troupe on this machine";
  const auto file =
      merged.add(desktop, servers(R"("a": {"command": "troupe", "args": ["connect", "http://[::1]:9/mcp"]},
    "b": {"command": "/usr/bin/troupe", "args": ["connect", "--no-browser", "http://localhost:8080/mcp"]},
    "c": {"type": "http", "url": "http://127.0.0.1:8080/mcp"}, "d": {"url": "http://127.0.0.1:8080/servers/x/mcp"})"));
  EXPECT_EQ(file.lines, (lines{"a" + why, "b" + why, "c" + why, "d" + why}));
  EXPECT_TRUE(merged.empty());
}

TEST(merged_import, takes_what_leads_elsewhere) {
  merged_import merged{"/"};
  merged.add(desktop, servers(R"("a": {"command": "troupe", "args": ["connect", "https://mcp.example/mcp"]},
    "b": {"command": "troupe", "args": ["example-server"]}, "c": {"url": "http://127.0.0.1:8081/mcp"},
    "d": {"url": "http://127.0.0.1:8080/other"}, "e": {"url": "http://mcp.example:8080/mcp"},
    "f": {"command": "x", "args": ["connect", "http://127.0.0.1:8080/mcp"]}, "g": {"command": "troupe", "args": []})"));
  EXPECT_EQ(merged.size(), 7u);
}

TEST(merged_import, names_others_by_their_client) {
  merged_import merged{"/"};
  merged.add(desktop, servers(R"("a": {"command": "x"})"));
  EXPECT_EQ(merged.add(cursor, servers(R"("a": {"command": "y"}, "a-cursor": {"command": "z"})")).lines,
            (lines{"a: taken as `a-cursor`, as there is another of its name",
                   "a-cursor: taken as `a-cursor-cursor`, as there is another of its name"}));
  EXPECT_EQ(merged.add(cursor, servers(R"("a": {"command": "w"})")).lines,
            lines{"a: taken as `a-cursor-2`, as there is another of its name"});
  EXPECT_EQ(merged.add({"", "/x/f.json"}, servers(R"("a": {"command": "v"})")).lines,
            lines{"a: taken as `a-2`, as there is another of its name"});
}

TEST(merged_import, keeps_tools_apart_and_names_usable) {
  merged_import merged{"/"};
  EXPECT_EQ(
      merged
          .add(desktop, servers(R"("my.server": {"command": "x"}, "my_server": {"command": "y"},
    "github.com/owner/fetch": {"command": "z"})"))
          .lines,
      (lines{"my.server: taken", "my_server: taken as `my_server-claude-desktop`, as there is another of its name",
             "github.com/owner/fetch: taken as `github.com-owner-fetch`, as names have no `/`"}));
  EXPECT_EQ(
      merged.add(cursor, servers(R"("a": {"command": "p"}, "a__b": {"command": "q"}, "a._b": {"command": "r"})")).lines,
      (lines{"a: taken", "a__b: taken as `a_b-cursor`, as there is another of its name",
             "a._b: taken as `a_b-cursor-2`, as there is another of its name"}));
  const std::string long_name(64, 'n');
  merged.add(desktop, servers('"' + long_name + R"(": {"command": "1"})"));
  EXPECT_EQ(merged.add(cursor, servers('"' + long_name + R"(": {"command": "2"})")).lines,
            lines{long_name + ": taken as `" + std::string(41, 'n') + "-cursor`, as there is another of its name"});
  const auto read = read_config(merged.text(""), "/", [](const std::string&) { return std::nullopt; });
  EXPECT_FALSE(has_error(read.problems)) << read.problems.front().text;
}

TEST(merged_import, says_what_is_left_out_and_why) {
  const read_alone read{desktop, servers(R"("off": {"command": "x", "disabled": true}, "zed": {"settings": {}},
    "none": {}, "both": {"command": "x", "url": "http://h"}, "ws": {"url": "http://h", "type": "ws"},
    "bad": {"url": "ftp://h"}, "text": 1, "other": {"command": "y", "oauth": {"a": 1}, "unheard": 1})")};
  EXPECT_EQ(
      read.file.lines,
      (lines{"off: left out, it is switched off",
             "zed: left out, it is of an extension of Zed, which alone knows its command",
             "none: left out, it has neither a program nor a URL", "both: left out, it has both a program and a URL",
             "ws: left out, it is spoken to in a way that is not known here",
             "bad: left out, bad.url: must be a URL of http or https: the URL does not begin with http:// or https://",
             "text: left out, it is no object", "other: taken; `unheard` is not known and left out",
             "mcpServers.other.oauth: is not used: a gateway has nobody to log in; put a token into `headers`, or "
             "let `auth` get one"}));
  EXPECT_EQ(read.file.servers, 8u);
  EXPECT_EQ(read.file.taken, 1u);
}

TEST(merged_import, makes_paths_whole) {
  const read_alone read{
      {"VS Code", "/src/shop/.vscode/mcp.json", true},
      R"({"servers": {"a": {"type": "stdio", "command": "./run", "args": ["${workspaceFolder}/x", "./y",
    "${workspaceFolderBasename}"], "envFile": "/dev/null", "env": {"A": "${env:A}", "B": "${userHome}"}},
    "b": {"command": "node", "cwd": "sub"}, "c": {"command": "~/run", "cwd": "${workspaceFolder}/c"}}})"};
  EXPECT_EQ(read.file.lines, (lines{"a: taken", "b: taken", "c: taken"}));
  EXPECT_EQ(read.entry("a"), object(R"({"command": "/src/shop/run", "args": ["/src/shop/x", "./y", "shop"],
    "env": {"A": "${A}", "B": "${userHome}"}, "envFile": "/dev/null", "cwd": "/src/shop"})"));
  EXPECT_EQ(read.entry("b"), object(R"({"command": "node", "cwd": "/src/shop/sub"})"));
  EXPECT_EQ(read.entry("c"), object(R"({"command": "~/run", "cwd": "/src/shop/c"})"));
}

TEST(merged_import, has_variables_for_what_users_were_asked) {
  const read_alone read{{"VS Code", "/src/shop/.vscode/mcp.json", true},
                        R"({"inputs": [{"type": "promptString", "id": "perplexity-key", "password": true}],
    "servers": {"p": {"command": "npx", "env": {"PERPLEXITY_API_KEY": "${input:perplexity-key}"}}}})"};
  EXPECT_EQ(read.file.lines, lines{"p: taken; asked its user for what the variable `PERPLEXITY_KEY` has to have now"});
  EXPECT_EQ(read.entry("p").at("env"), object(R"({"PERPLEXITY_API_KEY": "${PERPLEXITY_KEY}"})"));
  EXPECT_EQ(read.merged.variables(), lines{"PERPLEXITY_KEY"});
}

TEST(merged_import, takes_codex) {
  const read_alone read{{"Codex", "/home/ann/.codex/config.toml"}, R"(
model = "gpt-5"
[mcp_servers.context7]
command = "npx"
args = ["-y", "@upstash/context7-mcp"]
env_vars = ["LOCAL_TOKEN", { name = "REMOTE_TOKEN", source = "remote" }]
startup_timeout_sec = 20
tool_timeout_sec = 45
enabled_tools = ["open", "screenshot"]
disabled_tools = ["screenshot"]
default_tools_approval_mode = "prompt"
[mcp_servers.context7.env]
MY_ENV_VAR = "MY_ENV_VALUE"
[mcp_servers.context7.tools.open]
approval_mode = "approve"
[mcp_servers.figma]
url = "https://mcp.figma.com/mcp"
bearer_token_env_var = "FIGMA_OAUTH_TOKEN"
http_headers = { "X-Figma-Region" = "us-east-1" }
env_http_headers = { "X-Who" = "WHO" }
[mcp_servers.off]
command = "x"
enabled = false
)"};
  EXPECT_EQ(read.file.lines, (lines{"context7: taken", "figma: taken", "off: left out, it is switched off"}));
  EXPECT_EQ(read.entry("context7"), object(R"({"command": "npx", "args": ["-y", "@upstash/context7-mcp"],
    "env": {"MY_ENV_VAR": "MY_ENV_VALUE", "LOCAL_TOKEN": "${LOCAL_TOKEN}", "REMOTE_TOKEN": "${REMOTE_TOKEN}"},
    "timeout": "45s", "tools": {"allow": ["open", "screenshot"], "deny": ["screenshot"]}})"));
  EXPECT_EQ(read.entry("figma"), object(R"({"url": "https://mcp.figma.com/mcp", "headers": {"X-Who": "${WHO}",
    "Authorization": "Bearer ${FIGMA_OAUTH_TOKEN}", "X-Figma-Region": "us-east-1"}})"));
  EXPECT_EQ(read.merged.variables(), (lines{"FIGMA_OAUTH_TOKEN", "LOCAL_TOKEN", "REMOTE_TOKEN", "WHO"}));
  EXPECT_EQ(read_codex_file("a = 1\nb = = 2\n").why_not, "line 2 is no valid TOML");
  EXPECT_EQ(read_codex_file("[mcp_servers.a]\ncommand = inf\n[mcp_servers]\nb = 1\nd = 2020-01-01").why_not, "");
}

TEST(merged_import, takes_seconds_of_codex_as_seconds) {
  const read_alone read{{"Codex", "/home/ann/.codex/config.toml"},
                        "[mcp_servers.a]\ncommand = 'x'\ntool_timeout_sec = 20000\n"
                        "[mcp_servers.b]\ncommand = 'y'\ntool_timeout_sec = 1.5\n"
                        "[mcp_servers.c]\ncommand = 'z'\ntool_timeout_sec = 60.0\n"};
  EXPECT_EQ(read.entry("a").at("timeout"), "20000s");
  EXPECT_EQ(read.entry("b").at("timeout"), "1500ms");
  EXPECT_EQ(read.entry("c").at("timeout"), "60s");
}

TEST(merged_import, finds_a_name_whatever_stands_before_it) {
  merged_import merged{"/"};
  EXPECT_EQ(merged
                .add({"", "/x"}, servers(R"~("Notion": {"command": "1"}, "Notion (work)": {"command": "2"},
    "a": {"command": "3"}, "a__b": {"command": "4"}, "a_": {"command": "5"})~"))
                .lines,
            (lines{"Notion: taken", "Notion (work): taken as `Notion_work_`, as there is another of its name",
                   "a: taken", "a__b: taken as `a_b`, as there is another of its name",
                   "a_: taken as `a_-2`, as there is another of its name"}));
  EXPECT_EQ(merged
                .add({"", "/y"}, servers(R"("高德": {"command": "6"}, "数据库": {"command": "7"},
    "数据": {"command": "8"})"))
                .lines,
            (lines{"高德: taken", "数据库: taken as `server`, as there is another of its name",
                   "数据: taken as `server-2`, as there is another of its name"}));
}

TEST(merged_import, waits_for_no_pipe_that_an_entry_names) {
  std::string folder = testing::TempDir() + "merged_import_XXXXXX";
  ASSERT_TRUE(::mkdtemp(folder.data()));
  const auto pipe = folder + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const read_alone read{cursor, servers(R"("a": {"command": "x", "envFile": ")" + pipe + R"("},
    "b": {"url": "https://h/mcp", "caFile": ")" +
                                        pipe + R"("})")};
  EXPECT_EQ(read.file.lines, (lines{"a: taken", "b: taken"}));
  EXPECT_EQ(read.entry("a").at("envFile").as_string(), pipe);
  std::filesystem::remove_all(folder);
}

TEST(merged_import, gives_no_secret_to_who_asks_for_another) {
  merged_import merged{"/"};
  merged.add(cursor, servers(R"("a": {"command": "x", "env": {"API_KEY": "${MCP_B_API_KEY}", "K": "${API_KEY}"}},
    "b": {"command": "y", "env": {"API_KEY": "secretofb123"}})"));
  EXPECT_EQ(merged.take_secrets(), (taken_secrets{{"MCP_B_API_KEY_2", "secretofb123"}}));
  EXPECT_EQ(merged.variables(), (lines{"API_KEY", "MCP_B_API_KEY", "MCP_B_API_KEY_2"}));
}

TEST(merged_import, takes_what_gemini_opencode_and_copilot_have) {
  const read_alone gemini{
      {"Gemini CLI", "/home/ann/.gemini/settings.json"},
      R"({"theme": "x", "mcp": {"excluded": ["no"]}, "mcpServers": {"yes": {"httpUrl": "http://h/mcp", "timeout": 1500,
    "headers": {"A": "$KEY_OF_A"}, "includeTools": ["t"], "trust": true}, "no": {"command": "x"}}})"};
  EXPECT_EQ(gemini.file.lines, (lines{"yes: taken", "no: left out, it is switched off by `mcp`"}));
  EXPECT_EQ(gemini.entry("yes"), object(R"({"url": "http://h/mcp", "headers": {"A": "${KEY_OF_A}"}, "timeout": "1500ms",
    "tools": {"allow": ["t"]}})"));
  const read_alone opencode{
      {"OpenCode", "/home/ann/.config/opencode/opencode.json"},
      R"({"mcp": {"o": {"type": "local", "command": ["bun", "x", "{env:A}"], "environment": {"B": "b"}, "timeout": {"request": 2000}}}})"};
  EXPECT_EQ(opencode.entry("o"),
            object(R"({"command": "bun", "args": ["x", "${A}"], "env": {"B": "b"}, "timeout": "2s"})"));
  const read_alone copilot{{"Copilot CLI", "/home/ann/.copilot/mcp-config.json"},
                           servers(R"("c": {"type": "local", "command": "npx", "tools": ["*"], "timeout": 30000},
    "none": {"type": "sse", "url": "http://h/sse", "tools": []})")};
  EXPECT_EQ(copilot.entry("c"), object(R"({"command": "npx", "timeout": "30s"})"));
  EXPECT_EQ(copilot.entry("none"), object(R"({"type": "sse", "url": "http://h/sse", "tools": {"deny": ["*"]}})"));
}

TEST(merged_import, takes_of_claude_code_what_is_of_this_folder) {
  const read_alone read{{"Claude Code", "/home/ann/.claude.json"},
                        R"({"numStartups": 3, "mcpServers": {"a": {"command": "x"}},
    "projects": {"/src/shop": {"mcpServers": {"here": {"type": "stdio", "command": "y", "args": [], "env": {}}}},
      "/src/till": {"mcpServers": {"there": {"command": "z"}, "too": {"command": "z"}}}, "/src/none": {"mcpServers": {}}}})"};
  EXPECT_EQ(read.file.lines, (lines{"a: taken", "here: taken",
                                    "`projects./src/till`: 2 left out, run `troupe import` in that folder for them"}));
  EXPECT_EQ(read.entry("here"), object(R"({"command": "y", "args": [], "env": {}, "cwd": "/src/shop"})"));
}

TEST(merged_import, says_which_files_it_cannot_read) {
  auto why = [](std::string text) { return read_alone{cursor, std::move(text)}.file.why_not; };
  EXPECT_EQ(why("{"), "is no valid JSON: incomplete JSON at byte 1");
  EXPECT_EQ(why("name: x\nmcpServers:\n"), "is YAML, which is not read: write its servers as JSON");
  EXPECT_EQ(why("[mcp_servers.a]\n= 1"), "line 2 is no valid TOML");
  EXPECT_EQ(why(""), "");
  EXPECT_EQ(why("// nothing yet\n"), "");
}

TEST(merged_import, survives_a_text_that_is_cut_short) {
  const auto whole =
      servers(R"("a": {"command": {"path": "x", "args": ["${input:a}"]}, "tools": ["a"], "env": {"K": 1}})");
  for (std::size_t size = 0; size <= whole.size(); ++size)
    EXPECT_EQ(read_alone(cursor, whole.substr(0, size)).merged.empty(), size < whole.size()) << size;
  std::string deep =
      servers(R"("a": {"command": "x", "description": )" + std::string(100, '[') + std::string(100, ']') + "}");
  EXPECT_EQ(read_alone(cursor, deep).file.lines, lines{"a: taken"});
  EXPECT_EQ(read_alone(cursor, servers(R"("a": {"command": "x", "args": ["\ud800"]})")).file.lines, lines{"a: taken"});
}

TEST(merged_import, is_written_as_people_write_it) {
  EXPECT_EQ(read_alone(cursor, servers(R"("a": {"command": "x", "args": ["1", "2"], "env": {}, "headers": {}})"))
                .merged.text("s"),
            R"({
  "$schema": "s",
  "mcpServers": {
    "a": {
      "command": "x",
      "args": ["1", "2"],
      "env": {},
      "headers": {}
    }
  }
}
)");
}

} // namespace troupe::tests::merged_import_test

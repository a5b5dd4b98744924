// The configuration files of clients, as printed in the clients' documentation.
#include "tests/deploy/config/config_driver.hpp"

#include "deploy/config/client_conventions.hpp"
#include "deploy/config/config_command.hpp"
#include "deploy/config/config_sections.hpp"

namespace troupe::tests::client_files_test {

using namespace deploy;

namespace {

using pairs_of_texts = std::vector<std::pair<std::string, std::string>>;

/// Reads a file in a directory. Variables with any name are set.
config_file read_in(const std::string& directory, std::string text) {
  auto environment = [](const std::string& name) {
    return name == "HOME" ? "/home/ann" : name == "NOT_SET" ? std::nullopt : std::optional("<" + name + ">");
  };
  return read_config(std::move(text), directory, environment);
}

lines warnings_of(const config_file& file) {
  lines result;
  for (const auto& problem : file.problems)
    result.push_back(problem_line("f", problem));
  return result;
}

lines names_in(const config_file& file) {
  lines result;
  for (const auto& server : file.gateway.servers)
    result.push_back(server.name);
  return result;
}

const server_options& server_at(const config_file& file, const std::string& name) {
  const auto found = std::ranges::find(file.gateway.servers, name, &server_options::name);
  static const server_options none;
  EXPECT_NE(found, file.gateway.servers.end()) << name;
  return found == file.gateway.servers.end() ? none : *found;
}

command_server program_at(const config_file& file, const std::string& name) {
  const auto* const program = std::get_if<command_server>(&server_at(file, name).source);
  EXPECT_TRUE(program) << name;
  return program ? *program : command_server{};
}

remote_server remote_at(const config_file& file, const std::string& name) {
  const auto* const remote = std::get_if<remote_server>(&server_at(file, name).source);
  EXPECT_TRUE(remote) << name;
  return remote ? *remote : remote_server{};
}

} // namespace

TEST(client_files, of_windsurf_are_understood) {
  const auto file = read_in("/home/ann/.codeium/windsurf", R"({"mcpServers": {
    "github": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-github"],
      "env": {"GITHUB_PERSONAL_ACCESS_TOKEN": "<YOUR_PERSONAL_ACCESS_TOKEN>"}, "disabledTools": ["delete_file"]},
    "remote-http-mcp": {"serverUrl": "https://host/mcp", "headers": {"API_KEY": "Bearer ${env:AUTH_TOKEN}"}}}})");
  EXPECT_EQ(warnings_of(file), lines{});
  EXPECT_EQ(server_at(file, "github").deny_tools, lines{"delete_file"});
  EXPECT_EQ(remote_at(file, "remote-http-mcp").url, "https://host/mcp");
  EXPECT_EQ(remote_at(file, "remote-http-mcp").headers, (pairs_of_texts{{"API_KEY", "Bearer <AUTH_TOKEN>"}}));
}

TEST(client_files, of_gemini_cli_are_understood) {
  const std::string text = R"({"selectedAuthType": "gemini-api-key", "theme": "Dracula",
    "mcp": {"allowed": ["serverName", "git", "http"], "excluded": ["experimental"]},
    "mcpServers": {
      "serverName": {"command": "path/to/server", "args": ["--arg1", "value1"], "env": {"API_KEY": "$MY_API_TOKEN"},
        "cwd": "./server-directory", "timeout": 30000, "trust": false,
        "includeTools": ["tool1", "tool2"], "excludeTools": ["dangerous_tool"]},
      "git": {"command": "uvx", "args": ["mcp-server-git"], "timeout": 5000},
      "http": {"httpUrl": "https://api.githubcopilot.com/mcp/", "headers": {"Authorization": "Bearer $TOKEN"},
        "timeout": 5000},
      "experimental": {"command": "x"}, "other": {"url": "http://localhost:8080/sse"}}})";
  const auto file = read_in("/home/ann/.gemini", text);
  EXPECT_EQ(warnings_of(file), lines{"f:1: warning: selectedAuthType: is not known and ignored, as is 1 more"});
  EXPECT_EQ(names_in(file), (lines{"serverName", "git", "http"}));
  const auto& first = server_at(file, "serverName");
  const command_server program{.program = "/home/ann/path/to/server",
                               .arguments = {"--arg1", "value1"},
                               .environment = {{"API_KEY", "<MY_API_TOKEN>"}},
                               .directory = "/home/ann/server-directory"};
  EXPECT_EQ(std::get<command_server>(first.source), program);
  EXPECT_EQ(first.timeout, std::chrono::seconds{30});
  EXPECT_EQ(first.allow_tools, (lines{"tool1", "tool2"}));
  EXPECT_EQ(first.deny_tools, lines{"dangerous_tool"});
  EXPECT_EQ(server_at(file, "git").timeout, std::chrono::seconds{5});
  EXPECT_EQ(server_at(file, "http").timeout, std::chrono::seconds{5});
  EXPECT_EQ(remote_at(file, "http").headers, (pairs_of_texts{{"Authorization", "Bearer <TOKEN>"}}));
  // Under another name the file's entries still identify the client.
  const auto copied = read_in("/etc", text);
  EXPECT_EQ(server_at(copied, "http").timeout, std::chrono::seconds{5});
  EXPECT_EQ(program_at(copied, "serverName").environment, (pairs_of_texts{{"API_KEY", "<MY_API_TOKEN>"}}));
}

TEST(client_files, of_zed_are_understood_as_they_are_and_as_they_were) {
  const auto file = read_in("/home/ann/.config/zed", R"({"theme": "One", "vim_mode": true, "context_servers": {
    "local-mcp-server": {"command": "some-command", "args": ["arg-1", "arg-2"], "env": {}},
    "remote-mcp-server": {"url": "https://example.com/mcp", "headers": {"Authorization": "Bearer <token>"}},
    "my-context-server": {"source": "custom", "enabled": true,
      "command": {"path": "some-command", "args": ["arg-1"], "env": {"A": "1"}}, "settings": {}}}})");
  EXPECT_EQ(warnings_of(file), lines{"f:1: warning: theme: is not known and ignored, as is 1 more"});
  EXPECT_EQ(program_at(file, "local-mcp-server").arguments, (lines{"arg-1", "arg-2"}));
  EXPECT_EQ(remote_at(file, "remote-mcp-server").url, "https://example.com/mcp");
  EXPECT_EQ(program_at(file, "my-context-server"),
            (command_server{.program = "some-command", .arguments = {"arg-1"}, .environment = {{"A", "1"}}}));
}

TEST(client_files, of_zed_leave_out_what_an_extension_starts) {
  const auto file = read_in("/etc", R"({"context_servers": {"a": {"command": "x"},
    "postgres-context-server": {"source": "extension", "enabled": true, "settings": {"database_url": "x"}}}})");
  EXPECT_EQ(warnings_of(file),
            lines{"f:2: warning: context_servers.postgres-context-server: is of an extension of Zed, which "
                  "alone knows its command: it is left out unless it has `command`"});
  EXPECT_EQ(names_in(file), lines{"a"});
}

TEST(client_files, of_vs_code_begin_in_the_workspace) {
  const auto file = read_in("/src/shop/.vscode", R"({"servers": {
    "one": {"type": "stdio", "command": "./run", "args": ["${workspaceFolder}/x", "${workspaceFolderBasename}"]},
    "two": {"type": "http", "url": "https://api.githubcopilot.com/mcp"}}, "inputs": []})");
  EXPECT_EQ(warnings_of(file), lines{});
  EXPECT_EQ(program_at(file, "one"),
            (command_server{.program = "/src/shop/run", .arguments = {"/src/shop/x", "shop"}}));
}

TEST(client_files, of_vs_code_are_told_what_to_do_about_inputs) {
  const auto file = read_in("/src/.vscode", R"({"inputs": [{"type": "promptString", "id": "perplexity-key",
      "description": "Perplexity API Key", "password": true}],
    "servers": {"perplexity": {"type": "stdio", "command": "npx", "args": ["-y", "server-perplexity-ask"],
      "env": {"PERPLEXITY_API_KEY": "${input:perplexity-key}", "X": "${config:a.b}"}}}})");
  EXPECT_EQ(warnings_of(file),
            (lines{"f:4: error: servers.perplexity.env.PERPLEXITY_API_KEY: `${input:perplexity-key}` asks the user, "
                   "which a gateway cannot do: use an environment variable",
                   "f:4: error: servers.perplexity.env.X: `${config:a.b}` is looked up by an editor: write what it "
                   "stands for, or use an environment variable"}));
}

TEST(client_files, of_vs_code_may_be_its_settings) {
  const auto nested = read_in("/home/ann/.config/Code/User", R"({
    "editor.fontSize": 14, "git.autofetch": true, "workbench.colorTheme": "x", // a comment
    "mcp": {"inputs": [], "servers": {"a": {"command": "x"}}}, })");
  EXPECT_EQ(warnings_of(nested), lines{"f:2: warning: ['editor.fontSize']: is not known and ignored, as are 2 more"});
  EXPECT_EQ(names_in(nested), lines{"a"});
  const auto dotted = read_in("/etc", R"({"mcp.servers": {"b": {"command": "x"}}, "mcp.inputs": []})");
  EXPECT_EQ(warnings_of(dotted), lines{});
  EXPECT_EQ(names_in(dotted), lines{"b"});
}

TEST(client_files, of_cursor_are_understood) {
  const auto file = read_in("/src/shop/.cursor", R"({"mcpServers": {
    "local-server": {"type": "stdio", "command": "python", "args": ["${workspaceFolder}/tools/mcp_server.py"],
      "env": {"API_KEY": "${env:API_KEY}", "HOME_OF": "${userHome}${pathSeparator}x${/}y"}},
    "oauth-server": {"url": "https://api.example.com/mcp", "auth": {"CLIENT_ID": "${env:MCP_CLIENT_ID}",
      "CLIENT_SECRET": "${env:MCP_CLIENT_SECRET}", "scopes": ["read", "write"]}}}})");
  EXPECT_EQ(warnings_of(file),
            lines{"f:4: warning: mcpServers.oauth-server.auth: is not used: a gateway has nobody to log in; "
                  "put a token into `headers`, or let `auth` get one"});
  EXPECT_EQ(program_at(file, "local-server").arguments, lines{"/src/shop/tools/mcp_server.py"});
  EXPECT_EQ(program_at(file, "local-server").environment,
            (pairs_of_texts{{"API_KEY", "<API_KEY>"}, {"HOME_OF", "/home/ann/x/y"}}));
}

TEST(client_files, of_cline_and_roo_code_are_understood) {
  const auto file = read_in("/etc", R"({"mcpServers": {
    "local-server": {"command": "node", "args": ["/path/to/server.js"], "env": {"API_KEY": "your_api_key"},
      "alwaysAllow": ["tool1"], "autoApprove": [], "disabled": false, "timeout": 60, "watchPaths": ["/x"]},
    "roo": {"type": "streamable-http", "url": "https://host/mcp", "headers": {"X-API-Key": "k"}, "disabledTools": ["t"]},
    "cline": {"type": "streamableHttp", "url": "https://host/mcp"},
    "older": {"transportType": "sse", "url": "https://host/sse", "disabled": true}}})");
  EXPECT_EQ(warnings_of(file), lines{});
  EXPECT_EQ(names_in(file), (lines{"local-server", "roo", "cline"}));
  EXPECT_EQ(server_at(file, "local-server").timeout, std::chrono::seconds{60});
  EXPECT_EQ(server_at(file, "roo").deny_tools, lines{"t"});
}

TEST(client_files, of_claude_desktop_are_understood) {
  EXPECT_EQ(warnings_of(read_in("/etc", R"({"globalShortcut": "Ctrl+Space", "preferences": {"menuBarEnabled": true},
    "mcpServers": {"filesystem": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/x"]}}})")),
            lines{});
}

TEST(client_files, of_claude_code_serve_what_is_for_all_folders) {
  const auto file = read_in("/home/ann", R"({"numStartups": 7, "userID": "x", "mcpServers": {
      "api": {"type": "http", "url": "${NOT_SET:-https://api.example.com}/mcp", "alwaysLoad": true,
        "oauth": {"clientId": "x", "callbackPort": 8080}, "headersHelper": "/opt/bin/headers.sh"}},
    "projects": {"/src/shop": {"allowedTools": [], "mcpServers": {}}, "/src/till": {"mcpServers": {
      "local": {"type": "stdio", "command": "x", "args": [], "env": {}}}}}})");
  EXPECT_EQ(warnings_of(file),
            (lines{"f:1: warning: numStartups: is not known and ignored, as is 1 more",
                   "f:3: warning: mcpServers.api.oauth: is not used: a gateway has nobody to log in; put a "
                   "token into `headers`, or let `auth` get one",
                   "f:3: warning: mcpServers.api.headersHelper: is not run: write its headers into "
                   "`headers`, with `${VAR}` for what is secret",
                   "f:4: warning: projects['/src/till'].mcpServers: is of one folder only, and not served: "
                   "`troupe import` in that folder takes it"}));
  EXPECT_EQ(names_in(file), lines{"api"});
}

TEST(client_files, of_opencode_are_understood) {
  const auto file = read_in("/etc", R"({"$schema": "https://opencode.ai/config.json", "mcp": {
    "my-local-mcp-server": {"type": "local", "command": ["bun", "x", "my-mcp-command"], "enabled": true,
      "environment": {"MY_ENV_VAR": "{env:MINE}"}, "timeout": 5000},
    "jira": {"type": "remote", "url": "https://jira.example.com/mcp", "headers": {"Authorization": "Bearer {env:MY_KEY}"}, "oauth": false},
    "off": {"type": "remote", "url": "https://x", "enabled": false}, "theirs": {"enabled": false}, "timeout": {}}})");
  EXPECT_EQ(warnings_of(file), lines{});
  EXPECT_EQ(names_in(file), (lines{"my-local-mcp-server", "jira"}));
  EXPECT_EQ(program_at(file, "my-local-mcp-server"),
            (command_server{
                .program = "bun", .arguments = {"x", "my-mcp-command"}, .environment = {{"MY_ENV_VAR", "<MINE>"}}}));
  EXPECT_EQ(server_at(file, "my-local-mcp-server").timeout, std::chrono::seconds{5});
  EXPECT_EQ(remote_at(file, "jira").headers, (pairs_of_texts{{"Authorization", "Bearer <MY_KEY>"}}));
}

TEST(client_files, of_opencode_2_are_understood) {
  const auto file =
      read_in("/etc", R"({"$schema": "https://opencode.ai/config.json", "mcp": {"timeout": {"startup": 1}, "servers": {
    "everything": {"type": "local", "command": ["npx", "-y", "@modelcontextprotocol/server-everything"], "cwd": ".",
      "environment": {"LOG_LEVEL": "{env:LEVEL}"}, "timeout": {"startup": 30000, "request": 60500}},
    "far": {"type": "remote", "url": "https://h/mcp", "headers": {"A": "{env:KEY}"}, "disabled": false}}}})");
  EXPECT_EQ(warnings_of(file), lines{});
  EXPECT_EQ(server_at(file, "everything").timeout, std::chrono::milliseconds{60'500});
  EXPECT_EQ(program_at(file, "everything").environment, (pairs_of_texts{{"LOG_LEVEL", "<LEVEL>"}}));
  EXPECT_EQ(remote_at(file, "far").headers, (pairs_of_texts{{"A", "<KEY>"}}));
  EXPECT_EQ(problems_of_server(R"("command": "x", "timeout": {"request": 0})"),
            lines{"f:1: error: mcpServers.a.timeout.request: must be a whole number from 1 to 1000000000000"});
}

TEST(client_files, of_vs_code_are_told_that_a_sandbox_is_lost) {
  EXPECT_EQ(
      problems_of_server(R"("command": "x", "sandboxEnabled": true, "sandbox": {})"),
      lines{"f:1: warning: mcpServers.a.sandboxEnabled: is not used: `user` and `limits` of a server bound what it "
            "may do"});
}

TEST(client_files, of_copilot_cli_say_which_tools_there_are) {
  const auto file = read_in("/home/ann/.copilot", R"({"mcpServers": {
    "playwright": {"type": "local", "command": "npx", "args": ["@playwright/mcp@latest"], "tools": ["*"], "timeout": 9000},
    "some": {"type": "http", "url": "https://mcp.context7.com/mcp", "headers": {"A": "k"}, "tools": ["a", "b"]},
    "none": {"type": "sse", "url": "https://h/sse", "tools": [], "timeout": 20000}}})");
  EXPECT_EQ(warnings_of(file), lines{});
  EXPECT_EQ(server_at(file, "none").timeout, std::chrono::seconds{20});
  EXPECT_EQ(server_at(file, "playwright").allow_tools, lines{});
  EXPECT_EQ(server_at(file, "playwright").timeout, std::chrono::seconds{9});
  EXPECT_EQ(server_at(file, "some").allow_tools, (lines{"a", "b"}));
  EXPECT_EQ(server_at(file, "none").deny_tools, lines{"*"});
}

TEST(client_files, of_amazon_q_lm_studio_and_amp_are_understood) {
  const auto amazon = read_in("/home/ann/.aws/amazonq", R"({"mcpServers": {"a": {"command": "uvx",
    "args": ["awslabs.core-mcp-server@latest"], "env": {"FASTMCP_LOG_LEVEL": "ERROR"}, "timeout": 120000}}})");
  EXPECT_EQ(warnings_of(amazon), lines{});
  EXPECT_EQ(server_at(amazon, "a").timeout, std::chrono::minutes{2});
  EXPECT_EQ(warnings_of(read_in("/home/ann/.lmstudio", R"({"mcpServers": {"hf-mcp-server": {
    "url": "https://huggingface.co/mcp", "headers": {"Authorization": "Bearer <YOUR_HF_TOKEN>"}}}})")),
            lines{});
  EXPECT_EQ(names_in(read_in("/etc", R"({"amp.mcpServers": {"a": {"command": "x"}}})")), lines{"a"});
}

TEST(client_files, may_have_servers_in_a_list) {
  EXPECT_EQ(
      names_in(read_in("/etc", R"({"mcpServers": [{"name": "a", "command": "x"}, {"name": "b", "url": "http://h"}]})")),
      (lines{"a", "b"}));
  EXPECT_EQ(warnings_of(read_in("/etc", R"({"mcpServers": [{"command": "x"}, 1]})")).front(),
            "f:1: error: mcpServers[0]: must be an object with a `name`");
}

TEST(client_files, of_other_formats_are_told_what_to_do) {
  EXPECT_EQ(problems_of("model = \"gpt-5\"\n\n[mcp_servers.context7]\ncommand = \"npx\"\n"),
            lines{"f:1: error: is no valid JSON: syntax error; this looks like TOML, as Codex has it: `troupe import "
                  "FILE > mcp.json` makes a file of it"});
  EXPECT_EQ(problems_of("# mine\n[mcp_servers.context7]\n").front().find("looks like TOML") != std::string::npos, true);
  const auto yaml = "; this looks like YAML, as Continue and Goose have it: write its servers as JSON";
  EXPECT_EQ(problems_of("name: Mine\nmcpServers:\n  - name: a\n"),
            lines{std::string("f:1: error: is no valid JSON: syntax error") + yaml});
  EXPECT_EQ(problems_of("extensions:\n  github:\n    cmd: npx\n"),
            lines{std::string("f:1: error: is no valid JSON: syntax error") + yaml});
}

TEST(client_files, without_a_section_are_told_where_servers_belong) {
  EXPECT_EQ(problems_of(R"({"Filesystem": {"command": "npx"}})"),
            (lines{"f:1: warning: Filesystem: is not known",
                   "f:1: error: has no servers: name them in `mcpServers` or `servers`, with `Filesystem` in it"}));
}

TEST(client_keys, that_contradict_each_other_are_an_error) {
  EXPECT_EQ(problems_of_server(R"("url": "http://h", "httpUrl": "http://g")"),
            lines{"f:1: error: mcpServers.a.httpUrl: says something else than `mcpServers.a.url`"});
  EXPECT_EQ(problems_of_server(R"("url": "http://h", "serverUrl": "http://h")"), lines{});
  EXPECT_EQ(problems_of_server(R"("command": "x", "disabled": false, "enabled": false)"),
            (lines{"f:1: error: mcpServers.a.enabled: says something else than `disabled`",
                   "f:1: error: has no server that is switched on"}));
  EXPECT_EQ(problems_of_server(R"("command": "x", "disabled": false, "enabled": true)"), lines{});
  EXPECT_EQ(problems_of_server(R"("command": "x", "tools": {"allow": ["a"]}, "includeTools": ["b"])"),
            lines{"f:1: error: mcpServers.a: `includeTools` says something else than `tools`"});
  EXPECT_EQ(server_of(R"("command": "x", "tools": {"deny": ["a"]}, "disabledTools": ["b"])").deny_tools,
            (lines{"a", "b"}));
}

TEST(client_keys, write_variables_in_their_own_way) {
  const client_conventions dollar{.dollar_names = true};
  const client_conventions brace{.brace_names = true};
  EXPECT_EQ(with_common_variables("$A_1-$B ${C} $ $1 $", dollar), "${A_1}-${B} ${C} $ $1 $");
  EXPECT_EQ(with_common_variables("{env:A}{env:}{env:B ${env:C}", brace), "${A}{env:}{env:B ${env:C}");
  EXPECT_EQ(with_common_variables("$A {env:B}", {}), "$A {env:B}");
}

TEST(client_keys, are_doubted_where_a_dollar_may_be_meant) {
  EXPECT_EQ(problems_of_server(R"("command": "x", "env": {"KEY": "$MY_KEY", "A": "$5", "B": "a$BCD"})"),
            lines{"f:1: warning: mcpServers.a.env.KEY: ends with `$` and a name, which stays as it is: a variable is "
                  "written as `${NAME}`"});
}

TEST(env_files, have_a_variable_on_each_line) {
  const auto file =
      read_env_file("# mine\n\nA=1\r\nexport B = \" x \\\"y\\\"\\n\" # end\nC='$A #'\nD=a b # c\nE=\nF=a#b");
  EXPECT_EQ(file.variables,
            (pairs_of_texts{{"A", "1"}, {"B", " x \"y\"\n"}, {"C", "$A #"}, {"D", "a b"}, {"E", ""}, {"F", "a#b"}}));
  EXPECT_EQ(file.bad_line, 0u);
  EXPECT_EQ(read_env_file("A=1\nnothing\nB='x").bad_line, 2u);
  EXPECT_EQ(read_env_file("B='x").bad_line, 1u);
  EXPECT_EQ(read_env_file("B=\"x").bad_line, 1u);
  EXPECT_EQ(read_env_file("=x").bad_line, 1u);
}

TEST(env_files, are_outranked_by_the_environment_of_the_server) {
  EXPECT_EQ(program_of(R"("command": "x", "env": {"A": "1"}, "envFile": "/dev/null")").environment,
            (pairs_of_texts{{"A", "1"}}));
  EXPECT_EQ(problems_of_server(R"("command": "x", "envFile": "none.env")"),
            lines{"f:1: error: mcpServers.a.envFile: cannot be read: No such file or directory"});
  EXPECT_EQ(problems_of_server(R"("command": "x", "disabled": true, "envFile": "none.env")"),
            lines{"f:1: error: has no server that is switched on"});
}

TEST(workspaces, are_above_the_folders_of_clients) {
  EXPECT_EQ(workspace_of("/src/.vscode"), "/src");
  EXPECT_EQ(workspace_of("/src/vscode"), "/src/vscode");
  EXPECT_EQ(workspace_of("/"), "/");
}

} // namespace troupe::tests::client_files_test

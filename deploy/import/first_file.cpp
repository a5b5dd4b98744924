#include "deploy/import/first_file.hpp"

#include "deploy/config/config_rules.hpp"
#include "protocol/text/json.hpp"

#include <algorithm>
#include <string_view>

namespace troupe::deploy {

namespace {

constexpr std::string_view before_schema = R"({
  // Servers behind one gateway: `troupe check FILE` says what is wrong here, `troupe serve --config FILE` serves them.
  // Comments and trailing commas are allowed; ${NAME} is a variable of the environment, ${NAME:-x} is x without it.
  "$schema": )";

constexpr std::string_view before_entry = R"(,
  "mcpServers": {
    // A program that speaks on stdin and stdout. Each session has a process of its own, unless "sharing" says otherwise.
    )";

constexpr std::string_view after_entry = R"(

    // "github": {
    //   "url": "https://api.githubcopilot.com/mcp/",
    //   "headers": {"Authorization": "Bearer ${GITHUB_TOKEN}"},
    //   "tools": {"allow": ["get_*", "list_*"]},
    //   "timeout": "2m"
    // },

    // "memory": {
    //   "command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"],
    //   "env": {"MEMORY_FILE_PATH": "${userHome}/memory.jsonl"},
    //   "sharing": "shared"                  // all sessions use one process
    // },
  },
  "gateway": {
    "initializeTimeout": "2m",                // npx, uvx and others fetch a server when it starts for the first time,
    "listPatience": "45s",                    // for which a list of tools waits
    // "port": 8080,                          // clients go to http://127.0.0.1:8080/mcp
    // "auth": {"keys": "keys.txt"},          // who may come in: `troupe key new NAME` makes a key
    // "log": {"level": "info", "format": "json"},
  },
}
)";

std::string_view last_part(std::string_view text, char mark) { return text.substr(text.rfind(mark) + 1); }

/// Without its version, as in `server@1.2`, and what names of servers have around them.
std::string short_server_name(std::string_view word) {
  auto name = last_part(word, '/');
  name = name.substr(0, name.find('@', 1));
  for (const std::string_view extension : {".js", ".mjs", ".ts", ".py", ".sh"})
    if (name.ends_with(extension))
      name.remove_suffix(extension.size());
  for (const std::string_view begin : {"mcp-server-", "server-", "mcp-"})
    if (name.starts_with(begin) && name.size() > begin.size())
      name.remove_prefix(begin.size());
  for (const std::string_view end : {"-mcp-server", "-server", "-mcp"})
    if (name.ends_with(end) && name.size() > end.size())
      name.remove_suffix(end.size());
  return std::string(name);
}

} // namespace

std::string first_file(const std::string& schema, const std::string& name, const std::vector<std::string>& server) {
  std::string words;
  for (std::size_t i = 1; i < server.size(); ++i)
    words += (i == 1 ? "" : ", ") + protocol::quoted(server[i]);
  auto entry = protocol::quoted(name) + ": {\"command\": " + protocol::quoted(server.front());
  entry += words.empty() ? "}," : ", \"args\": [" + words + "]},";
  return std::string(before_schema) + protocol::quoted(schema) + std::string(before_entry) + entry +
         std::string(after_entry);
}

std::string name_of_command(const std::vector<std::string>& server) {
  constexpr std::string_view runners[] = {"npx",    "uvx",     "bunx", "pnpx", "node",
                                          "python", "python3", "uv",   "bun",  "deno"};
  const auto is_runner = std::ranges::find(runners, last_part(server.front(), '/')) != std::end(runners);
  const auto word = std::ranges::find_if(server.begin() + 1, server.end(),
                                         [](auto& one) { return !one.starts_with('-') && one != "run" && one != "x"; });
  const auto name = short_server_name(is_runner && word != server.end() ? *word : server.front());
  return is_server_name(name) ? name : "server";
}

} // namespace troupe::deploy

#include "deploy/import/init_run.hpp"

#include "deploy/config/config_file.hpp"
#include "deploy/config/config_keys.hpp"
#include "deploy/log/log_line.hpp"
#include "deploy/log/write_out.hpp"
#include "protocol/text/json.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <unistd.h>

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

/// Removes the version, as in `server@1.2`, and the usual prefixes and extensions of servers' names.
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

constexpr auto usual_schema = "/usr/share/troupe/config.schema.json";
constexpr auto own_name = "troupe";

std::filesystem::path own_path() {
  std::error_code none;
  return std::filesystem::read_symlink("/proc/self/exe", none);
}

constexpr auto what_next = R"(
Then give clients the URL http://127.0.0.1:8080/mcp:
  Claude Code    claude mcp add --transport http troupe http://127.0.0.1:8080/mcp
  VS Code        "servers": {"troupe": {"type": "http", "url": "http://127.0.0.1:8080/mcp"}}
  others         "mcpServers": {"troupe": {"url": "http://127.0.0.1:8080/mcp"}}
)";

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

std::string write_new_file(const std::string& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0)
    return errno == EEXIST ? "is there already, it is left as it is" : std::strerror(errno);
  std::string why_not = write_out(file, text).empty() ? "" : std::strerror(errno);
  if (::close(file) != 0 && why_not.empty())
    why_not = std::strerror(errno);
  if (!why_not.empty())
    ::unlink(path.c_str());
  return why_not;
}

std::string schema_place() {
  const auto beside = own_path().parent_path().parent_path() / "share/troupe/config.schema.json";
  std::error_code none;
  return std::filesystem::exists(beside, none) ? beside.string() : usual_schema;
}

std::string own_program() {
  const auto own = own_path();
  const auto path = process_variable("PATH").value_or("");
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find(':', begin), path.size());
    std::error_code none;
    if (std::filesystem::equivalent(path.substr(begin, end - begin) + '/' + own_name, own, none))
      return own_name;
    begin = end + 1;
  }
  return own.empty() ? own_name : own.string();
}

int run_init(const init_command& command) {
  const auto program = own_program();
  const auto is_example = command.server.empty();
  const auto server = is_example ? std::vector<std::string>{program, "example-server"} : command.server;
  const auto name = is_example ? "example" : name_of_command(server);
  if (const auto why_not = write_new_file(command.file, first_file(schema_place(), name, server)); !why_not.empty()) {
    std::cerr << "troupe: " << escaped(command.file) << ' ' << why_not << '\n';
    return 1;
  }
  const auto file = escaped(command.file);
  std::cout << file << " is written, with the server `" << escaped(name) << "`; only you can read it.\n\n"
            << "Look it over, and serve it:\n  " << program << " check " << file << "\n  " << program
            << " serve --config " << file << " --watch\n"
            << what_next;
  return 0;
}

} // namespace troupe::deploy

#include "deploy/help/help_text.hpp"

#include <sstream>

namespace troupe::deploy {

namespace {

constexpr help_topic topics[] = {
    {"paths", "PATHS", R"(Clients find servers at these paths:

  /mcp                   Streamable HTTP: the server, or all of them as one
  /sse                   HTTP+SSE (2024-11-05) of the same; messages go to /messages
  /servers/NAME/mcp      one server of several
  /servers/NAME/sse      the same over HTTP+SSE
  /healthz, /health      200 while the process lives
  /readyz                200 while it takes new sessions; 503 and why, in JSON
  /debug/state           counts of what lives, to this machine, with --debug-state

Operators find /metrics, /api and the console where --admin-listen says, never there.
)"},
    {"clients", "CLIENTS", R"(Most clients take a URL in their file:

  {"mcpServers": {"troupe": {"type": "http", "url": "http://127.0.0.1:8080/mcp"}}}

Claude Code takes a command:

  claude mcp add --transport http troupe http://127.0.0.1:8080/mcp

A client that knows only stdio, as Claude Desktop does for servers of this machine, starts Troupe, which connects to it:

  {"mcpServers": {"troupe": {"command": "troupe", "args": ["connect", "http://127.0.0.1:8080/mcp"]}}}

Where keys are asked for, a client shows one as a header:

  {"type": "http", "url": "https://mcp.example/mcp", "headers": {"Authorization": "Bearer KEY"}}
)"},
    {"times", "TIMES",
     R"(Times are a number and a unit: 500ms, 30s, 1.5m, 1h. A number alone is one of seconds, in flags and in files.
)"},
    {"migrate", "COMING FROM OTHER BRIDGES",
     R"(The command lines of supergateway and of both programs called mcp-proxy work as they are, as far as Troupe has the
same: put troupe in place of their name.

  troupe --stdio "npx -y @modelcontextprotocol/server-filesystem ." --port 8000
  troupe --streamableHttp https://mcp.example/mcp --oauth2Bearer TOKEN
  troupe --named-server fetch "uvx mcp-server-fetch" --named-server time "uvx mcp-server-time"

The first serves a server at http://127.0.0.1:8000/mcp and /sse, whatever --outputTransport says; the second is troupe
connect; the third serves two. Numbers of --sessionTimeout and --requestTimeout are of milliseconds there, those of
Troupe's own flags are of seconds. What has no equal is refused in a line that says what to use. Unlike those programs,
Troupe listens on this machine only unless it is told --host, and then wants to know who may come in, see --keys.
)"},
    {"environment", "ENVIRONMENT", R"(Variables that Troupe itself reads:

  TROUPE_ADMIN           where operators' commands ask, as --admin
  TROUPE_ADMIN_TOKEN     the token that they show, instead of the one that a gateway on loopback has made
  XDG_RUNTIME_DIR, RUNTIME_DIRECTORY, XDG_STATE_HOME, HOME
                         where the gateway keeps that token: the first of these folders that it can use
  OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS,
  OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_SDK_DISABLED
                         where traces go, and which, see OpenTelemetry
  TROUPE_CLIENT_SECRET   the secret of the client that troupe connect --client-id names
  BROWSER, XDG_STATE_HOME
                         what troupe connect opens pages with, and where it keeps logins
  NOTIFY_SOCKET, LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES
                         where systemd is told how things go, and sockets that it hands over
  NO_COLOR               no colours on a terminal

A file may have any variable, as ${NAME} or ${NAME:-default}. Servers inherit HOME, LOGNAME, PATH, SHELL, TERM and USER
only, unless --pass-environment, --env or env of the file give them more.
)"},
    {"signals", "SIGNALS",
     R"(  SIGTERM, SIGINT        no new sessions; calls in flight may finish within gateway.grace, 5 s;
                         then servers are stopped, and the program ends with status 0
  a second one           ends at once
  SIGHUP                 reads the configuration file again, and opens the access log anew
)"},
    {"status", "EXIT STATUS", R"(  0                      it did what was asked
  1                      it could not: a file is wrong, an address is in use, nobody answers
  2                      the command line is wrong
)"},
};

constexpr std::size_t text_column = 30;
constexpr auto without_group = "Options"; // CLI11's default group
constexpr auto without_command_group = "Subcommands";

/// Formats an entry of a list: a name, and its text in a column or, after a long name, on the next line.
std::string entry(const std::string& name, const std::string& text, std::size_t width) {
  auto line = "  " + name;
  if (line.size() + 2 > text_column)
    line += '\n' + std::string(text_column, ' ');
  else
    line.resize(text_column, ' ');
  return line + wrapped(text, width, text_column, text_column) + '\n';
}

std::string flag_entry(const flag_text& flag, std::size_t width) {
  auto name =
      flag.is_word() ? flag.value : CLI::detail::join(flag.names, ", ") + (flag.value.empty() ? "" : ' ' + flag.value);
  auto text = flag.text;
  if (!flag.default_value.empty() && text.find("(default") == std::string::npos)
    text += " (default: " + flag.default_value + ')';
  return entry(name, text, width);
}

/// Lists items by group, in the order in which groups first appear.
template <class Items, class Entry>
std::string in_groups(const Items& items, const std::string& other, const std::string& other_title, Entry entry_of) {
  std::vector<std::string> groups;
  for (const auto& item : items)
    if (std::ranges::find(groups, item.group) == groups.end())
      groups.push_back(item.group);
  std::string result;
  for (const auto& group : groups) {
    result += '\n' + (group == other ? other_title : group) + ":\n";
    for (const auto& item : items)
      if (item.group == group)
        result += entry_of(item);
  }
  return result;
}

} // namespace

std::span<const help_topic> help_topics() { return topics; }

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent, std::size_t used) {
  std::string result;
  std::istringstream words{text};
  bool first = true;
  for (std::string word; words >> word; first = false) {
    if (!first && used + 1 + word.size() > width) {
      result += '\n' + std::string(indent, ' ');
      used = indent;
    } else if (!first) {
      result += ' ';
      ++used;
    }
    result += word;
    used += word.size();
  }
  return result;
}

std::string usage_of(const command_text& command) {
  auto result = command.name;
  if (!command.commands.empty())
    result += " COMMAND";
  result += " [flags]";
  for (const auto& flag : command.flags)
    if (flag.is_word())
      result += ' ' + (flag.required ? flag.value : '[' + flag.value + ']') + (flag.repeats ? "..." : "");
  return result;
}

std::string help_text(const command_text& command, std::size_t width) {
  auto result = wrapped(command.text, width, 0, 0) + "\n\nUsage: " + usage_of(command) + '\n';
  result += in_groups(command.commands, without_command_group, "Commands", [&](const auto& one) {
    return entry(one.name.substr(command.name.size() + 1), one.text, width);
  });
  result += in_groups(command.flags, without_group, "Flags", [&](const auto& one) { return flag_entry(one, width); });
  if (!command.notes.empty())
    result += '\n' + command.notes.substr(command.notes.find_first_not_of('\n'));
  if (result.back() != '\n')
    result += '\n';
  return result;
}

} // namespace troupe::deploy

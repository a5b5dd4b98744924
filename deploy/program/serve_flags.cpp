#include "deploy/program/serve_flags.hpp"

#include "actors/gateway/option_table.hpp"
#include "deploy/config/config_file.hpp"
#include "deploy/config/config_keys.hpp"
#include "deploy/program/flag_checks.hpp"
#include "deploy/program/flag_values.hpp"
#include "deploy/program/handed_over.hpp"
#include "deploy/program/option_flags.hpp"
#include "deploy/program/shell_words.hpp"
#include "protocol/text/url.hpp"

#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace troupe::deploy {

namespace {

constexpr auto without_server = "no server given: type `troupe serve -- <command> [args...]`, for instance "
                                "`troupe serve -- troupe example-server`, or name a file with --config";

using variables = std::vector<std::pair<std::string, std::string>>;

/// Splits a text at the first `at`, which is dropped.
std::pair<std::string, std::string> halves(const std::string& text, char at) {
  const auto cut = text.find(at);
  return {text.substr(0, cut), text.substr(cut + 1)};
}

/// Returns the environment without variables for this process only.
variables all_variables() {
  variables result;
  for (char** variable = ::environ; *variable; ++variable)
    if (auto one = halves(*variable, '='); !is_for_one_process(one.first))
      result.push_back(std::move(one));
  return result;
}

/// Returns the servers' environment: inherited variables, then typed ones, which replace inherited ones.
variables environment_of(const server_flag_values& typed) {
  auto result = typed.whole_environment ? all_variables() : variables{};
  for (const auto& variable : typed.environment) {
    auto one = halves(variable, '=');
    std::erase_if(result, [&](const auto& other) { return other.first == one.first; });
    result.push_back(std::move(one));
  }
  return result;
}

std::vector<std::string> words_of(const char* flag, const std::string& line) {
  auto words = shell_words(line);
  if (!words)
    throw CLI::ValidationError(flag, "a quote is left open");
  if (words->empty())
    throw CLI::ValidationError(flag, "names no command");
  return std::move(*words);
}

server_options program_server(const server_flag_values& typed, std::vector<std::string> words, std::string name = {}) {
  auto server = typed.program;
  server.program = std::move(words.front());
  server.arguments.assign(std::next(words.begin()), words.end());
  server.environment = environment_of(typed);
  if (name.empty())
    name = std::filesystem::path(server.program).filename().string();
  return {.name = std::move(name), .source = std::move(server)};
}

server_options remote_server_options(server_flag_values typed) {
  typed.remote.headers = typed_headers(typed.headers, config_variables::callers::stay);
  std::string ignored;
  auto name = protocol::parse_http_url(typed.remote.url, ignored)->host;
  return {.name = std::move(name), .source = std::move(typed.remote)};
}

std::vector<server_options> named_servers(const server_flag_values& typed) {
  std::vector<server_options> result;
  std::set<std::string> seen;
  for (const auto& [name, line] : typed.named) {
    if (!is_server_name(name))
      throw CLI::ValidationError("--named-server", "'" + name + "' is no name of a server");
    if (!seen.insert(name).second)
      throw CLI::ValidationError("--named-server", "'" + name + "' is given twice");
    result.push_back(program_server(typed, words_of("--named-server", line), name));
  }
  return result;
}

/// Checks that servers come from a single place.
void check_one_place(const server_flag_values& typed, const parted_line& line) {
  std::vector<std::string_view> places;
  if (!typed.named.empty())
    places.emplace_back("--named-server");
  if (!typed.remote.url.empty())
    places.emplace_back("--url");
  if (!typed.stdio.empty())
    places.emplace_back("--stdio");
  if (places.size() > 1)
    throw CLI::ValidationError(std::string{places[0]}, "excludes " + std::string{places[1]});
  if (!places.empty() && line.dashes)
    throw CLI::ValidationError(std::string{places[0]}, places[0] == "--named-server"
                                                           ? "a server is given behind -- as well: give it a name, too"
                                                           : "a server is given behind -- as well, use one of them");
  if (typed.remote.url.empty() && !typed.headers.empty())
    throw CLI::ValidationError("--header", "goes with --url: it is sent to the remote server");
}

constexpr auto usage = R"(
The server is a command behind -- or a line in --stdio, or a remote one; a file names several:
  troupe serve [flags] -- <command> [args...]
  troupe serve [flags] --stdio "<command line>"
  troupe serve [flags] --url <url>
  troupe serve [flags] --config <file>

Examples:
  troupe serve -- troupe example-server
  troupe serve --port 9000 -- npx -y @modelcontextprotocol/server-everything
  troupe serve --config mcp.json --watch
  troupe serve --env API_KEY=secret --stdio "my-server --data '/srv/my data'"
)";

CLI::Option& add_config_flags(CLI::App& app, serve_command& command) {
  auto* const config =
      app.add_option("-c,--config", command.config, "File that names the servers; SIGHUP reads it again")
          ->type_name("FILE");
  app.add_flag("--watch", command.watch, "Read the file again whenever it changes")->needs(config);
  return *config;
}

void add_log_flags(CLI::App& app, serve_flag_values& typed) {
  add_choice(app, "--log-level", typed.level, log_levels, "Least level to log");
  add_choice(app, "--log-format", typed.format, log_formats, "How to log, on stderr");
  app.add_option("--access-log", typed.command.access_log.file, "File for a line for each request, - for stdout")
      ->type_name("FILE|-");
  add_choice(app, "--access-log-format", typed.access_format, log_formats, "How to write these lines");
}

void set_typed(serve_command& command, const serve_flag_values& typed) {
  command.level = chosen(log_levels, typed.level);
  command.format = chosen(log_formats, typed.format);
  command.access_log.format = chosen(log_formats, typed.access_format);
  set_access(command.gateway, typed.access);
  command.gateway.cluster = options_of(typed.cluster, command.given);
}

/// Sets the typed servers, unless there is a configuration file.
void set_servers(serve_command& command, parted_line line, server_flag_values typed) {
  if (!command.config.empty()) {
    if (line.dashes)
      throw CLI::ValidationError("--config", "a server is given behind -- as well, use one of them");
    return;
  }
  if (command.gateway.cluster)
    check_together(*command.gateway.cluster); // with a file: after reading it
  if (command.gateway.tls)
    check_together(*command.gateway.tls);
  command.gateway.servers = typed_servers(std::move(typed), std::move(line));
}

} // namespace

void add_server_flags(CLI::App& app, CLI::Option& config, server_flag_values& typed) {
  auto add = [&config](CLI::Option* flag) {
    config.excludes(flag);
    return flag;
  };
  add(app.add_option("--stdio", typed.stdio,
                     "The server as one line, split by shell quoting rules but without a shell"))
      ->type_name("COMMAND");
  add(app.add_option("--named-server", typed.named, "One of several servers, as such a line; may be repeated"))
      ->type_name("NAME COMMAND")
      ->allow_extra_args(false);
  add(app.add_option("-e,--env", typed.environment, "Variable for the server's environment; may be repeated"))
      ->check(must_be_variable())
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  add(app.add_flag("--pass-environment", typed.whole_environment,
                   "Give the server all variables that Troupe has, except those that systemd sets for it alone"));
  add(app.add_option("--cwd", typed.program.directory, "Directory that the server runs in"))
      ->check(must_be_directory())
      ->type_name("DIRECTORY");
  add(app.add_option("--url", typed.remote.url, "A remote server, instead of a command"))
      ->check(must_be_url())
      ->type_name("URL");
  add(app.add_option("-H,--header", typed.headers,
                     "Header for the remote server; may be repeated. ${VAR} stands for a variable of the environment"))
      ->type_name("NAME: VALUE")
      ->allow_extra_args(false);
}

std::vector<server_options> typed_servers(server_flag_values typed, parted_line line) {
  check_one_place(typed, line);
  if (!typed.named.empty())
    return named_servers(typed);
  if (!typed.remote.url.empty())
    return {remote_server_options(std::move(typed))};
  if (line.dashes ? line.server.empty() : typed.stdio.empty())
    throw CLI::ValidationError(without_server);
  return {program_server(typed, line.dashes ? std::move(line.server) : words_of("--stdio", typed.stdio))};
}

CLI::App& add_serve(CLI::App& app, serve_flag_values& typed) {
  auto& command = typed.command;
  auto& serve = *app.add_subcommand("serve", "Serve MCP servers over Streamable HTTP and HTTP+SSE");
  serve.footer(usage);
  const auto begin_group = [&serve](const char* name) { serve.option_defaults()->group(name); };
  begin_group("Servers");
  auto& config = add_config_flags(serve, command);
  add_server_flags(serve, config, typed.server);
  begin_group("Where it listens, and who comes in");
  add_access_flags(serve, command.gateway, typed.access);
  begin_group("Limits");
  add_option_flags(serve, actors::option_table::gateway_rows, protocol::flag_group::limit, command.gateway);
  begin_group("Nodes of a cluster");
  add_cluster_flags(serve, typed.cluster);
  begin_group("Logs");
  add_log_flags(serve, typed);
  begin_group("The process");
  add_option_flags(serve, actors::option_table::gateway_rows, protocol::flag_group::process, command.gateway);
  serve.add_flag("--core-dumps", command.core_dumps, "Let the process be dumped, and read by its user's servers");
  return serve;
}

serve_command serve_command_of(const CLI::App& serve, serve_flag_values typed, parted_line line) {
  auto command = std::move(typed.command);
  command.given = given_flags(serve);
  set_typed(command, typed);
  set_servers(command, std::move(line), std::move(typed.server));
  return command;
}

} // namespace troupe::deploy

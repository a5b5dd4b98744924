#include "deploy/program/serve_flags.hpp"

#include "deploy/config/log_names.hpp"
#include "deploy/program/choice_flag.hpp"
#include "deploy/program/flag_checks.hpp"
#include "deploy/program/given_flags.hpp"

#include <utility>
#include <vector>

namespace troupe::deploy {

namespace {

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

void add_thread_flags(CLI::App& app, gateway_options& options) {
  app.add_option("--threads", options.threads, "Threads for sockets and pipes (default: one for two processors)")
      ->check(must_be_positive())
      ->type_name("N");
}

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
  set_limits(command.gateway, typed.limits);
  set_access(command.gateway, typed.access);
  command.gateway.cluster = options_of(typed.cluster, command.given);
}

/// The servers are those of the file, or what was typed.
void set_servers(serve_command& command, parted_line line, server_flag_values typed) {
  if (!command.config.empty()) {
    if (line.dashes)
      throw CLI::ValidationError("--config", "a server is given behind -- as well, use one of them");
    return;
  }
  if (command.gateway.cluster)
    check_together(*command.gateway.cluster); // with a file: when it has been read
  if (command.gateway.tls)
    check_together(*command.gateway.tls);
  command.gateway.servers = typed_servers(std::move(typed), std::move(line));
}

} // namespace

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
  add_limit_flags(serve, command.gateway, typed.limits);
  begin_group("Nodes of a cluster");
  add_cluster_flags(serve, typed.cluster);
  begin_group("Logs");
  add_log_flags(serve, typed);
  begin_group("The process");
  add_thread_flags(serve, command.gateway);
  serve.add_flag("--core-dumps", command.core_dumps, "Let the process be dumped, and read by its user's servers");
  serve.add_flag("--debug-state", command.gateway.debug_state, "Show counts of what lives at /debug/state, locally");
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

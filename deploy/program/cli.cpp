#include "deploy/program/cli.hpp"

#include "deploy/config/log_names.hpp"
#include "deploy/program/access_flags.hpp"
#include "deploy/program/cluster_flags.hpp"
#include "deploy/program/flag_checks.hpp"
#include "deploy/program/limit_flags.hpp"
#include "deploy/program/operator_flags.hpp"
#include "deploy/program/shell_words.hpp"
#include "protocol/access/access_key.hpp"
#include "protocol/access/credentials.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace troupe::deploy {

namespace {

constexpr int usage_error = 2;
constexpr auto version = "troupe " TROUPE_VERSION;
constexpr auto without_server = "no server given: type `troupe serve -- <command> [args...]`, for instance "
                                "`troupe serve -- troupe example-server`, or name a file with --config";
constexpr auto usage = R"(
The server is a command behind -- or a line in --stdio; a file names several:
  troupe serve [flags] -- <command> [args...]
  troupe serve [flags] --stdio "<command line>"
  troupe serve [flags] --config <file>

Examples:
  troupe serve -- troupe example-server
  troupe serve --port 9000 -- npx -y @modelcontextprotocol/server-everything
  troupe serve --config mcp.json --watch
  troupe serve --env API_KEY=secret --stdio "my-server --data '/srv/my data'"
)";

/// Values of flags whose type differs from that in `serve_command`.
struct typed_flags {
  command_server server;
  cluster_flag_values cluster;
  access_flag_values access;
  limit_flag_values limits;
  std::string stdio;
  std::vector<std::string> environment;
  std::string level = "info";
  std::string format = "text";
  std::string access_format = "json";
};

/// A command line cut at its first `--`: what follows is the server's, even where it looks like a flag of ours.
struct parted_line {
  std::vector<std::string> flags;
  std::vector<std::string> server;
  bool dashes = false;
};

// -- flags ---------------------------------------------------------------------

void add_thread_flags(CLI::App& app, gateway_options& options) {
  app.add_option("--threads", options.threads, "Threads for sockets and pipes (default: one for two processors)")
      ->check(must_be_positive())
      ->type_name("N");
}

void add_server_flags(CLI::App& app, typed_flags& typed) {
  app.add_option("--stdio", typed.stdio, "The server as one line, split by shell quoting rules but without a shell")
      ->type_name("COMMAND");
  app.add_option("--env", typed.environment, "Variable for the server's environment; may be repeated")
      ->check(must_be_variable())
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--cwd", typed.server.directory, "Directory that the server runs in")
      ->check(must_be_directory())
      ->type_name("DIRECTORY");
}

void add_config_flags(CLI::App& app, serve_command& command) {
  auto* const config =
      app.add_option("-c,--config", command.config, "File that names the servers; SIGHUP reads it again")
          ->type_name("FILE");
  for (const auto* server : {"--stdio", "--env", "--cwd"})
    config->excludes(server);
  app.add_flag("--watch", command.watch, "Read the file again whenever it changes")->needs(config);
}

template <class Value>
void add_choice(CLI::App& app, const std::string& flag, std::string& typed, const choices<Value>& values,
                const std::string& text) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values)
    names.push_back(name);
  app.add_option(flag, typed, text)
      ->check(must_be_one_of(names))
      ->type_name(CLI::detail::join(names, "|"))
      ->capture_default_str();
}

/// The app's flags, which write to `command` and `typed` when they are parsed.
CLI::App& add_serve(CLI::App& app, serve_command& command, typed_flags& typed) {
  auto& serve = *app.add_subcommand("serve", "Serve MCP servers over Streamable HTTP and HTTP+SSE");
  serve.footer(usage);
  serve.set_version_flag("--version", version);
  add_access_flags(serve, command.gateway, typed.access);
  add_thread_flags(serve, command.gateway);
  add_server_flags(serve, typed);
  add_config_flags(serve, command);
  add_limit_flags(serve, command.gateway, typed.limits);
  add_cluster_flags(serve, typed.cluster);
  add_choice(serve, "--log-level", typed.level, log_levels, "Least level to log");
  add_choice(serve, "--log-format", typed.format, log_formats, "How to log, on stderr");
  serve.add_option("--access-log", command.access_log.file, "File for a line for each request, - for stdout")
      ->type_name("FILE|-");
  add_choice(serve, "--access-log-format", typed.access_format, log_formats, "How to write these lines");
  serve.add_flag("--core-dumps", command.core_dumps, "Let the process be dumped, and read by its user's servers");
  serve.add_flag("--debug-state", command.gateway.debug_state, "Show counts of what lives at /debug/state, locally");
  return serve;
}

struct check_flags {
  check_command command;
  access_flag_values access;
  std::string thing;
};

/// Also those that are not of `serve`.
constexpr std::pair<const char*, asked_thing::kind> thing_flags[] = {{"--tool", asked_thing::kind::tool},
                                                                     {"--prompt", asked_thing::kind::prompt},
                                                                     {"--resource", asked_thing::kind::resource}};

CLI::App& add_check(CLI::App& app, check_flags& typed) {
  auto& command = typed.command;
  auto& check = *app.add_subcommand("check", "Say what is wrong with a configuration file, and who may what by it");
  check.add_option("file,-c,--config", command.config, "The file")->type_name("FILE");
  auto* const as = check.add_option("--as", command.as,
                                    "Say what the key or certificate of a name may, or who shows a key or token; - "
                                    "reads that from stdin, where nobody sees it");
  as->type_name("NAME|TOKEN|-");
  auto* const subject =
      check.add_option("--subject", command.subject, "Say what whom a token of the issuer's names may");
  subject->excludes(as)->type_name("NAME");
  auto add_list = [&](const char* flag, std::vector<std::string>& to, const char* text) {
    auto* const list = check.add_option(flag, to, text);
    list->needs(subject)->delimiter(',')->allow_extra_args(false)->type_name("NAME,...");
  };
  add_list("--scope", command.scopes, "Scopes of that token");
  add_list("--group", command.groups, "Groups that it has");
  for (const auto& [flag, kind] : thing_flags) {
    auto* const one = check.add_option(flag, typed.thing, "Of a server's things say it of this alone, and why");
    one->check(must_be_thing())->type_name("SERVER/NAME");
    for (const auto& [other, its_kind] : thing_flags)
      if (const auto* const before = check.get_option_no_throw(other); before && before != one)
        one->excludes(other);
  }
  add_access_flags(check, command.flags.options, typed.access);
  return check;
}

std::set<std::string> given_flags(const CLI::App& app) {
  std::set<std::string> result;
  for (const auto* option : app.get_options())
    if (option->count() > 0)
      result.insert(option->get_name());
  return result;
}

check_command check_of(const CLI::App& check, check_flags typed) {
  auto& flags = typed.command.flags;
  set_access(flags.options, typed.access);
  flags.given = given_flags(check);
  if (flags.given.contains("--as") && typed.command.as.empty())
    throw CLI::ValidationError("--as", "is empty: give a name, or - for a key or token on stdin");
  if (flags.given.contains("--subject") && typed.command.subject.empty())
    throw CLI::ValidationError("--subject", "is empty");
  for (const auto& [flag, kind] : thing_flags)
    if (flags.given.erase(flag) > 0) {
      if (!flags.given.contains("--as") && !flags.given.contains("--subject"))
        throw CLI::ValidationError(flag, "says not for whom: give --as or --subject");
      const auto slash = typed.thing.find('/');
      typed.command.thing = {kind, typed.thing.substr(0, slash), typed.thing.substr(slash + 1)};
    }
  for (const auto* own : {"--config", "--as", "--subject", "--scope", "--group"})
    flags.given.erase(own);
  return std::move(typed.command);
}

struct key_flags {
  new_key_command made;
  std::string expires;
};

/// `troupe key new`
CLI::App& add_key(CLI::App& app, key_flags& typed) {
  auto& key = *app.add_subcommand("key", "Make keys for clients");
  key.require_subcommand(1);
  auto& made = *key.add_subcommand("new", "Make a key, and print it, and the line for the file that --keys names");
  made.add_option("name", typed.made.name, "Who gets it, as rules and logs name him")
      ->check(must_be_key_name())
      ->type_name("NAME")
      ->required();
  made.add_option("--scope", typed.made.scopes, "What it may be used for; commas between them, or repeated")
      ->check(must_be_scope())
      ->type_name("SCOPE,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  made.add_option("--expires", typed.expires, "Its last day, or the time of its end (default: never)")
      ->check(must_be_expiry())
      ->type_name("YYYY-MM-DD");
  return made;
}

new_key_command key_of(key_flags typed) {
  typed.made.expires = protocol::read_expiry(typed.expires);
  return std::move(typed.made);
}

// -- the command line ----------------------------------------------------------

parted_line part(std::vector<std::string> words) {
  parted_line result;
  const auto dashes = std::find(words.begin(), words.end(), "--");
  result.flags.assign(words.begin(), dashes);
  if (dashes != words.end()) {
    result.dashes = true;
    result.server.assign(dashes + 1, words.end());
  }
  return result;
}

/// The server's command line: the words after `--`, or those of `--stdio`. Throws `ValidationError`.
std::vector<std::string> server_words(parted_line line, bool stdio, const std::string& stdio_line) {
  if (line.dashes && stdio)
    throw CLI::ValidationError("--stdio", "a server is given behind -- as well, use one of them");
  if (!stdio) {
    if (line.server.empty())
      throw CLI::ValidationError(without_server);
    return std::move(line.server);
  }
  auto words = shell_words(stdio_line);
  if (!words)
    throw CLI::ValidationError("--stdio", "a quote is left open");
  if (words->empty())
    throw CLI::ValidationError("--stdio", "names no command");
  return std::move(*words);
}

server_options typed_server(typed_flags typed, std::vector<std::string> words) {
  auto server = std::move(typed.server);
  server.program = std::move(words.front());
  server.arguments.assign(std::next(words.begin()), words.end());
  for (const auto& variable : typed.environment) {
    const auto equals = variable.find('=');
    server.environment.emplace_back(variable.substr(0, equals), variable.substr(equals + 1));
  }
  auto name = std::filesystem::path(server.program).filename().string();
  return {.name = std::move(name), .source = std::move(server)};
}

/// The servers are those of the file, or the one that was typed.
void set_servers(serve_command& command, parted_line line, typed_flags typed) {
  if (!command.config.empty()) {
    if (line.dashes)
      throw CLI::ValidationError("--config", "a server is given behind -- as well, use one of them");
    return;
  }
  if (command.gateway.cluster)
    check_together(*command.gateway.cluster); // with a file: when it has been read
  if (command.gateway.tls)
    check_together(*command.gateway.tls);
  auto words = server_words(std::move(line), command.given.contains("--stdio"), typed.stdio);
  command.gateway.servers.push_back(typed_server(std::move(typed), std::move(words)));
}

template <class Value>
Value chosen(const choices<Value>& values, const std::string& typed) {
  return std::find_if(values.begin(), values.end(), [&](auto& choice) { return choice.first == typed; })->second;
}

void set_typed(serve_command& command, const typed_flags& typed) {
  command.level = chosen(log_levels, typed.level);
  command.format = chosen(log_formats, typed.format);
  command.access_log.format = chosen(log_formats, typed.access_format);
  set_limits(command.gateway, typed.limits);
  set_access(command.gateway, typed.access);
  command.gateway.cluster = options_of(typed.cluster, command.given);
}

finished refuse(std::string why) {
  std::replace_if(
      why.begin(), why.end(), [](unsigned char c) { return c < ' '; }, ' '); // one line, whatever was typed
  std::cerr << "troupe: " << why << '\n';
  return {usage_error};
}

/// Where somebody may have left out quotes: a secret is not repeated.
constexpr const char* misplaced_secret =
    "a key or token stands where none belongs: troupe check --as - reads one from stdin";

/// What is left over is a flag that does not exist, or the server's command without `--` before it.
finished refuse_extras(const std::vector<std::string>& words, const CLI::App* command) {
  const auto& first = words.front();
  if (protocol::looks_like_credentials(first))
    return refuse(misplaced_secret);
  if (!command && !first.starts_with('-'))
    return refuse("unknown command '" + first + "', see troupe --help");
  const auto name = command ? command->get_name() : "serve";
  const auto see = ", see troupe " + name + " --help";
  if (first.starts_with('-'))
    return refuse("unknown flag " + first + see);
  return refuse("unexpected '" + first + "'" + (name == "serve" ? ": the server's command goes behind --" : see));
}

} // namespace

command parse(int argc, const char* const* argv) {
  serve_command result;
  check_flags checked;
  key_flags key;
  typed_flags typed;
  CLI::App app{"Troupe serves MCP servers to many clients over Streamable HTTP and HTTP+SSE.", "troupe"};
  app.set_version_flag("--version", version);
  app.require_subcommand(0, 1);
  auto& serve = add_serve(app, result, typed);
  const auto& check = add_check(app, checked);
  const auto& made = add_key(app, key);
  operator_flag_values operators;
  add_operator_commands(app, operators);
  const auto& example =
      *app.add_subcommand("example-server", "Be a small MCP server on stdin and stdout, to try things");
  auto line = part({argv + 1, argv + argc});
  try {
    app.parse(std::vector(line.flags.rbegin(), line.flags.rend())); // the library wants the last word first
    if (auto asked = operator_command_of(operators))
      return std::move(*asked);
    if (example.parsed())
      return example_server_command{};
    if (made.parsed())
      return key_of(std::move(key));
    if (check.parsed() && checked.command.config.empty())
      return refuse("name the file to check: troupe check FILE, or check --config FILE");
    if (protocol::looks_like_credentials(checked.command.config))
      return refuse(misplaced_secret);
    if (check.parsed())
      return check_of(check, std::move(checked));
    if (!serve.parsed())
      return refuse(
          "say what to do: troupe serve, check, key or example-server, or a command for operators, see troupe --help");
    result.given = given_flags(serve);
    set_typed(result, typed);
    set_servers(result, std::move(line), std::move(typed));
    return result;
  } catch (const CLI::Success& done) {
    return finished{app.exit(done)};
  } catch (const CLI::ExtrasError&) {
    const auto parsed = app.get_subcommands();
    return refuse_extras(app.remaining(true), parsed.empty() ? nullptr : parsed.front());
  } catch (const CLI::ParseError& error) {
    return refuse(error.what());
  }
}

} // namespace troupe::deploy

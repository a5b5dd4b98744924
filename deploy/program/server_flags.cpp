#include "deploy/program/server_flags.hpp"

#include "deploy/config/config_rules.hpp"
#include "deploy/program/flag_checks.hpp"
#include "deploy/program/handed_sockets.hpp"
#include "deploy/program/header_flag.hpp"
#include "deploy/program/shell_words.hpp"
#include "protocol/text/url.hpp"

#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>

#include <unistd.h>

namespace troupe::deploy {

namespace {

constexpr auto without_server = "no server given: type `troupe serve -- <command> [args...]`, for instance "
                                "`troupe serve -- troupe example-server`, or name a file with --config";

using variables = std::vector<std::pair<std::string, std::string>>;

/// What stands before the first such character, and behind it.
std::pair<std::string, std::string> halves(const std::string& text, char at) {
  const auto cut = text.find(at);
  return {text.substr(0, cut), text.substr(cut + 1)};
}

/// Without those that are meant for this process alone.
variables all_variables() {
  variables result;
  for (char** variable = ::environ; *variable; ++variable)
    if (auto one = halves(*variable, '='); !is_for_one_process(one.first))
      result.push_back(std::move(one));
  return result;
}

/// Those that were typed, and before them what they stand in place of.
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

/// Servers come from one place.
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

} // namespace troupe::deploy

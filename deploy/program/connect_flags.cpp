#include "deploy/program/connect_flags.hpp"

#include "deploy/config/config_problem.hpp"
#include "deploy/config/config_rules.hpp"
#include "deploy/config/config_variables.hpp"
#include "deploy/config/file_text.hpp"
#include "deploy/config/log_names.hpp"
#include "deploy/program/flag_checks.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/url.hpp"

#include <cstddef>
#include <cstdlib>
#include <optional>
#include <utility>

namespace troupe::deploy {

namespace {

const choices<protocol::remote_kind> connect_transports = {{"auto", protocol::remote_kind::detect},
                                                           {"http", protocol::remote_kind::streamable_http},
                                                           {"sse", protocol::remote_kind::http_sse}};

constexpr std::size_t longest_client_secret = std::size_t{64} << 10;

template <class Value>
std::vector<std::string> choice_names(const choices<Value>& values) {
  std::vector<std::string> result;
  for (const auto& [name, value] : values)
    result.push_back(name);
  return result;
}

template <class Value>
Value named_choice(const choices<Value>& values, const std::string& name) {
  return std::find_if(values.begin(), values.end(), [&](auto& choice) { return choice.first == name; })->second;
}

/// A URL may have a secret in its query.
std::string check_remote_url(const std::string& text) {
  std::string why_not;
  return protocol::parse_http_url(text, why_not) ? "" : "the URL must be one of http or https: " + why_not;
}

std::optional<std::string> environment_variable(const std::string& name) {
  const auto* const value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

/// As in a file. Fails without the value of any variable.
std::string with_variables(const std::string& typed, const std::string& flag) {
  const auto token = protocol::quoted(typed);
  config_report report{token};
  config_variables variables{".", environment_variable};
  auto result = variables.expanded(typed, config_value{report, token});
  if (!result)
    throw CLI::ValidationError(flag, report.problems().empty() ? "has a variable without a value"
                                                               : report.problems().front().text);
  return std::move(*result);
}

std::pair<std::string, std::string> read_header(const std::string& typed) {
  const auto colon = typed.find(':');
  auto name = std::string(protocol::trimmed(typed.substr(0, colon)));
  if (colon == std::string::npos || !is_header_name(name))
    throw CLI::ValidationError("--header", "must be a name, a colon and a value, such as 'X-Team: blue'");
  if (is_own_header(name))
    throw CLI::ValidationError("--header", name + " is a header that troupe sets itself");
  auto value = with_variables(std::string(protocol::trimmed(typed.substr(colon + 1))), "--header " + name);
  if (!is_header_value(value))
    throw CLI::ValidationError("--header " + name, "must not contain line breaks or other control characters");
  return {std::move(name), std::move(value)};
}

void add_login_flags(CLI::App& app, connect_flag_values& typed) {
  auto& login = typed.command.login;
  app.add_option("--client-id", login.client_id,
                 "Client that the authorization server knows; without it, one is registered there")
      ->type_name("ID");
  app.add_option("--client-secret-file", typed.secret_file,
                 "File with the client's secret; without it, TROUPE_CLIENT_SECRET has it, if there is one")
      ->check(must_be_readable())
      ->type_name("FILE");
  app.add_option("--callback-port", login.callback_port,
                 "Port on this machine that the browser comes back to after the login (default: any)")
      ->check(must_be_port())
      ->type_name("PORT");
  app.add_flag("--no-browser", typed.no_browser, "Open no browser to log in, only print where");
  app.add_flag("--logout", typed.command.forgets_login, "Forget the login at this server, and end");
}

std::string client_secret(const std::string& file) {
  if (file.empty())
    return environment_variable("TROUPE_CLIENT_SECRET").value_or("");
  const auto text = file_text(file, longest_client_secret).value_or("");
  return std::string(protocol::trimmed(text));
}

} // namespace

CLI::App& add_connect(CLI::App& app, connect_flag_values& typed) {
  auto& result = *app.add_subcommand(
      "connect", "Be an MCP server on stdin and stdout that passes everything to the remote one at URL");
  result.add_option("url", typed.command.url, "The remote server")
      ->check(CLI::Validator{check_remote_url, ""})
      ->type_name("URL")
      ->required();
  result
      .add_option("--header", typed.headers,
                  "Header field for each request; may be repeated. ${VAR} stands for a variable of the environment")
      ->type_name("'NAME: VALUE'")
      ->allow_extra_args(false);
  result.add_option("--transport", typed.transport, "How the server is spoken to; auto finds it out")
      ->check(must_be_one_of(choice_names(connect_transports)))
      ->type_name(CLI::detail::join(choice_names(connect_transports), "|"))
      ->capture_default_str();
  result
      .add_option("--ca", typed.command.ca_file,
                  "File of certificates (PEM) that the server's may be signed by, besides the system's")
      ->check(must_be_readable())
      ->type_name("FILE");
  result.add_option("--log-level", typed.level, "Least level that is logged, on stderr")
      ->check(must_be_one_of(choice_names(log_levels)))
      ->type_name(CLI::detail::join(choice_names(log_levels), "|"))
      ->capture_default_str();
  add_login_flags(result, typed);
  return result;
}

connect_command connect_command_of(connect_flag_values typed) {
  auto result = std::move(typed.command);
  for (const auto& one : typed.headers)
    result.headers.push_back(read_header(one));
  result.kind = named_choice(connect_transports, typed.transport);
  result.level = named_choice(log_levels, typed.level);
  result.login.opens_browser = !typed.no_browser;
  if (!result.login.client_id.empty())
    result.login.client_secret = client_secret(typed.secret_file);
  return result;
}

} // namespace troupe::deploy

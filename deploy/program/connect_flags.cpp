#include "deploy/program/connect_flags.hpp"

#include "deploy/config/config_file.hpp"
#include "deploy/config/file_text.hpp"
#include "deploy/config/log_names.hpp"
#include "deploy/program/choice_flag.hpp"
#include "deploy/program/flag_checks.hpp"
#include "deploy/program/header_flag.hpp"
#include "protocol/text/json.hpp"

#include <cstddef>
#include <utility>

namespace troupe::deploy {

namespace {

const choices<protocol::remote_kind> connect_transports = {{"auto", protocol::remote_kind::detect},
                                                           {"http", protocol::remote_kind::streamable_http},
                                                           {"sse", protocol::remote_kind::http_sse}};

constexpr std::size_t longest_client_secret = std::size_t{64} << 10;

void add_login_flags(CLI::App& app, connect_flag_values& typed) {
  auto& login = typed.command.login;
  app.add_option("--client-id", login.client_id,
                 "Client that the authorization server knows; without it, one is registered there")
      ->type_name("ID");
  app.add_option("--client-secret-file", typed.secret_file,
                 "File with the client's secret; without it, TROUPE_CLIENT_SECRET has it, if there is one")
      ->check(must_be_readable())
      ->type_name("FILE");
  app.add_option("--issuer", login.issuer,
                 "Only authorization server to log in at; required with a secret, which no other one gets")
      ->check(must_be_url())
      ->type_name("URL");
  app.add_flag("--assume-pkce", login.assumes_pkce,
               "Log in even if the metadata of the authorization server does not name PKCE (S256)");
  app.add_option("--callback-port", login.callback_port,
                 "Port on this machine that the browser comes back to after the login (default: any)")
      ->check(must_be_port())
      ->type_name("PORT");
  app.add_flag("--no-browser", typed.no_browser, "Open no browser to log in, only print where");
  app.add_flag("--logout", typed.command.forgets_login, "Forget the login at this server, and end");
}

std::string client_secret(const std::string& file) {
  if (file.empty())
    return process_variable("TROUPE_CLIENT_SECRET").value_or("");
  const auto text = file_text(file, longest_client_secret).value_or("");
  return std::string(protocol::trimmed(text));
}

} // namespace

CLI::App& add_connect(CLI::App& app, connect_flag_values& typed) {
  auto& result = *app.add_subcommand(
      "connect", "Be an MCP server on stdin and stdout that passes everything to the remote one at URL");
  result.add_option("url", typed.command.url, "The remote server")->check(must_be_url())->type_name("URL")->required();
  result
      .add_option("--header", typed.headers,
                  "Header field for each request; may be repeated. ${VAR} stands for a variable of the environment")
      ->type_name("'NAME: VALUE'")
      ->allow_extra_args(false);
  add_choice(result, "--transport", typed.transport, connect_transports,
             "How the server is spoken to; auto finds it out");
  result
      .add_option("--ca", typed.command.ca_file,
                  "File of certificates (PEM) that the server's may be signed by, besides the system's")
      ->check(must_be_readable())
      ->type_name("FILE");
  add_choice(result, "--log-level", typed.level, log_levels, "Least level that is logged, on stderr");
  add_login_flags(result, typed);
  return result;
}

connect_command connect_command_of(connect_flag_values typed) {
  auto result = std::move(typed.command);
  result.headers = typed_headers(typed.headers, config_variables::callers::are_refused);
  result.kind = chosen(connect_transports, typed.transport);
  result.level = chosen(log_levels, typed.level);
  result.login.opens_browser = !typed.no_browser;
  if (!result.login.client_id.empty())
    result.login.client_secret = client_secret(typed.secret_file);
  return result;
}

} // namespace troupe::deploy

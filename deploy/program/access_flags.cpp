#include "deploy/program/access_flags.hpp"

#include "deploy/program/flag_checks.hpp"
#include "protocol/text/host_port.hpp"

#include <tuple>
#include <utility>

namespace troupe::deploy {

namespace {

void add_listening_flags(CLI::App& app, gateway_options& options, access_flag_values& typed) {
  app.add_option("--host", options.host, "Address to listen on")->type_name("ADDRESS")->capture_default_str();
  app.add_option("--port", options.port, "Port to listen on; 0 picks a free one")
      ->check(must_be_port())
      ->type_name("PORT")
      ->capture_default_str();
  app.add_option("--listen", typed.listen, "The same at once, or a unix socket that only this user can connect to")
      ->check(must_be_listening_place())
      ->excludes("--host")
      ->excludes("--port")
      ->type_name("HOST:PORT|unix:PATH");
  app.add_option("--allowed-host", options.allowed_hosts,
                 "Name or address by which clients may call it, besides this machine's; may be repeated, * admits all")
      ->type_name("HOST[:PORT]")
      ->allow_extra_args(false);
  app.add_option("--trusted-proxy", options.limits.trusted_proxies,
                 "Address or network of a proxy that is believed when it says for whom it asks; may be repeated")
      ->check(must_be_network())
      ->type_name("CIDR")
      ->allow_extra_args(false);
  app.add_option("--allow-origin", options.allow_origins, "Web origin that may connect; may be repeated, * admits all")
      ->type_name("ORIGIN")
      ->allow_extra_args(false);
}

void add_path_flags(CLI::App& app, gateway_options& options) {
  for (auto [flag, paths, text] :
       {std::tuple{"--mcp-path", &options.mcp_paths, "A further path of Streamable HTTP, besides /mcp"},
        {"--sse-path", &options.sse_paths, "A further path of HTTP+SSE, besides /sse"},
        {"--message-path", &options.message_paths, "Where clients of HTTP+SSE are told to POST, besides /messages"},
        {"--health-path", &options.health_paths, "A further path that answers while the process lives"}})
    app.add_option(flag, *paths, std::string{text} + "; may be repeated")
        ->check(must_be_path())
        ->type_name("PATH")
        ->allow_extra_args(false);
}

void add_credential_flags(CLI::App& app, gateway_options& options, access_flag_values& typed) {
  const auto add_file = [&app](const char* flag, std::string& to, const char* text) {
    app.add_option(flag, to, text)->check(must_be_readable())->type_name("FILE");
  };
  add_file("--tls-cert", typed.tls.certificate, "Certificate (PEM) to speak TLS with clients; needs --tls-key");
  add_file("--tls-key", typed.tls.private_key, "The key of that certificate (PEM); needs --tls-cert");
  add_file("--tls-client-ca", typed.tls.client_ca,
           "Authorities (PEM) of clients' certificates: clients need one, or a key or token where there are any");
  add_file("--tls-client-crl", typed.tls.client_crl, "Lists (PEM) of what those authorities have revoked");
  add_file("--keys", options.auth.keys_file, "File of keys: clients need one (see troupe key new)");
  app.add_flag("--allow-anonymous", options.auth.allow_anonymous,
               "Let in who has no key, token or certificate, also from elsewhere");
}

void add_admin_flags(CLI::App& app, access_flag_values& typed) {
  app.add_option("--admin-listen", typed.admin_listen, "Where to listen for operators, who find /metrics there")
      ->check(must_be_listening_place())
      ->type_name("HOST:PORT|unix:PATH");
  app.add_option(
         "--admin-token-file", typed.admin_token_file,
         "File with the token that operators show; needed beyond this machine. Without it, the gateway makes one")
      ->check(must_be_readable())
      ->type_name("FILE");
  app.add_flag("--admin-open", typed.admin_open,
               "Ask operators for no token; on loopback only, where any program and any tool that fetches URLs gets in")
      ->excludes("--admin-token-file");
}

/// Puts a place into the options; leaves them as they are without one.
void set_place(const std::string& text, std::string& host, std::uint16_t& port) {
  if (protocol::is_unix_socket(text))
    host = text;
  else if (auto place = protocol::read_host_port(text))
    std::tie(host, port) = std::tie(place->host, place->port);
}

} // namespace

void add_access_flags(CLI::App& app, gateway_options& options, access_flag_values& typed) {
  add_listening_flags(app, options, typed);
  add_path_flags(app, options);
  add_credential_flags(app, options, typed);
  add_admin_flags(app, typed);
}

void set_access(gateway_options& options, const access_flag_values& typed) {
  if (typed.tls != tls_options{})
    options.tls = typed.tls;
  set_place(typed.listen, options.host, options.port);
  if (typed.admin_listen.empty() && typed.admin_token_file.empty() && !typed.admin_open)
    return;
  auto& admin = options.admin.emplace();
  set_place(typed.admin_listen, admin.host, admin.port);
  admin.token_file = typed.admin_token_file;
  admin.open = typed.admin_open;
}

void check_together(const tls_options& options) {
  for (const auto& [flag, path] :
       {std::pair{"--tls-cert", &tls_options::certificate}, {"--tls-key", &tls_options::private_key}})
    if ((options.*path).empty())
      throw CLI::ValidationError(flag, "is missing: TLS takes a certificate and its key");
  if (!options.client_crl.empty() && options.client_ca.empty())
    throw CLI::ValidationError("--tls-client-ca", "is missing: without it, no client is asked for a certificate");
}

} // namespace troupe::deploy

#include "deploy/program/gateway_flags.hpp"

#include "deploy/config/config_cluster.hpp"
#include "deploy/config/file_text.hpp"
#include "deploy/program/flag_checks.hpp"
#include "deploy/program/flag_values.hpp"
#include "protocol/options/cluster_rules.hpp"
#include "protocol/text/host_port.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
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

/// Writes an address to the options; an empty text changes nothing.
void set_place(const std::string& text, std::string& host, std::uint16_t& port) {
  if (protocol::is_unix_socket(text))
    host = text;
  else if (auto place = protocol::read_host_port(text))
    std::tie(host, port) = std::tie(place->host, place->port);
}

using protocol::cluster_option;

std::string flag(cluster_option option) { return std::string(cluster_flags[static_cast<std::size_t>(option)]); }

void add_address_flags(CLI::App& app, cluster_flag_values& typed) {
  app.add_option(flag(cluster_option::name), typed.options.name, "Be this node of a cluster; a name of its own")
      ->type_name("NAME");
  typed.listen = protocol::host_port_text(typed.options.host, typed.options.port);
  app.add_option(flag(cluster_option::listen), typed.listen, "Where to listen for other nodes")
      ->check(must_be_host_port())
      ->type_name("HOST:PORT")
      ->capture_default_str();
  app.add_option(flag(cluster_option::advertise), typed.options.advertise,
                 "Where other nodes reach this one (default: where it listens)")
      ->check(must_be_host_port())
      ->type_name("HOST:PORT");
  app.add_option(flag(cluster_option::join), typed.options.join,
                 "Other nodes, of a name all its addresses; commas between them, or repeated; may be the node itself")
      ->check(must_be_host_port())
      ->type_name("HOST:PORT,...")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void add_secret_flags(CLI::App& app, cluster_flag_values& typed) {
  auto add = [&](cluster_option option, std::string& to, const char* text) {
    return app.add_option(flag(option), to, text)->type_name("FILE");
  };
  add(cluster_option::key, typed.options.key_file,
      "The secret that all nodes have, at least 16 bytes; while it changes several, one a line");
  add(cluster_option::certificate, typed.options.certificate, "The node's certificate, for TLS between nodes")
      ->check(must_be_readable());
  add(cluster_option::private_key, typed.options.private_key, "The key of that certificate")->check(must_be_readable());
  add(cluster_option::ca_file, typed.options.ca_file, "What the certificates of all nodes are signed by")
      ->check(must_be_readable());
  app.add_flag(flag(cluster_option::plain), typed.options.plain,
               "Speak with other machines without certificates: the key alone protects");
}

/// Flag for a time, with its option.
struct time_flag {
  const char* name;
  std::chrono::milliseconds gateway_options::*option;
  const char* text;
};

constexpr time_flag time_flags[] = {
    {"--session-timeout", &gateway_options::session_timeout, "End a session after this long without use"},
    {"--abandoned-timeout", &gateway_options::abandoned_timeout, "The same once its client has lost its stream"},
    {"--lease-time", &gateway_options::lease_time,
     "Keep what a caller of 2026-07-28 uses for this long after its last call"},
    {"--request-timeout", &gateway_options::request_timeout, "Fail a call after this long without answer or progress"},
    {"--stream-time", &gateway_options::stream_time,
     "Close a stream's connection after this long; its client comes back for the rest (default: never)"}};

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

void add_cluster_flags(CLI::App& app, cluster_flag_values& typed) {
  add_address_flags(app, typed);
  add_secret_flags(app, typed);
  app.add_option(flag(cluster_option::heartbeat), typed.heartbeat, "A node that is silent for this long is lost")
      ->check(must_be_time())
      ->type_name("TIME")
      ->default_str(time_text(typed.options.heartbeat));
  app.add_option(flag(cluster_option::store), typed.options.store,
                 "Redis that keeps the sessions of servers with `recovery`; a password is safer in the file")
      ->type_name("URL");
  app.add_option(flag(cluster_option::store_ca), typed.options.store_ca_file,
                 "What Redis' certificate may be signed by besides the system's authorities, for rediss://")
      ->check(must_be_readable())
      ->type_name("FILE");
  app.add_option(flag(cluster_option::restores_per_second), typed.options.restores_per_second,
                 "Sessions of lost nodes that may begin again here in a second")
      ->check(must_be_positive())
      ->type_name("COUNT")
      ->capture_default_str();
}

std::optional<cluster_options> options_of(cluster_flag_values typed, const std::set<std::string>& given) {
  if (std::ranges::none_of(cluster_flags, [&](auto name) { return given.contains(std::string(name)); }))
    return std::nullopt;
  const auto listen = protocol::read_host_port(typed.listen);
  typed.options.host = listen->host;
  typed.options.port = listen->port;
  if (const auto heartbeat = flag_time(typed.heartbeat))
    typed.options.heartbeat = *heartbeat;
  if (given.contains(flag(cluster_option::key))) {
    auto keys = file_text(typed.options.key_file, protocol::longest_cluster_keys);
    if (!keys)
      throw CLI::ValidationError(flag(cluster_option::key), "cannot be read: " + std::string(std::strerror(errno)));
    if (keys->empty())
      throw CLI::ValidationError(flag(cluster_option::key), std::string(protocol::no_cluster_key));
    typed.options.key = std::move(*keys);
  }
  return std::move(typed.options);
}

void check_together(const cluster_options& options) {
  const auto problems = problems_of(protocol::view_of(options), cluster_flags);
  if (!problems.empty())
    throw CLI::ValidationError(flag(problems.front().option), problems.front().text);
}

void add_limit_flags(CLI::App& app, gateway_options& options, time_flag_values& typed) {
  for (const auto& flag : time_flags) {
    auto* const added =
        app.add_option(flag.name, typed[flag.name], flag.text)->check(must_be_time())->type_name("TIME");
    if (const auto time = options.*flag.option; time.count() > 0)
      added->default_str(time_text(time));
  }
  app.add_option("--max-body", options.max_body, "Longest request body")
      ->check(must_be_positive())
      ->type_name("BYTES")
      ->capture_default_str();
  app.add_option("--max-sessions", options.max_sessions, "Sessions at the same time")
      ->check(must_be_positive())
      ->type_name("N")
      ->capture_default_str();
}

void set_limits(gateway_options& options, const time_flag_values& typed) {
  for (const auto& flag : time_flags)
    if (const auto time = flag_time(typed.at(flag.name)))
      options.*flag.option = *time;
}

} // namespace troupe::deploy

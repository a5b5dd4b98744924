#include "deploy/program/gateway_flags.hpp"

#include "actors/gateway/option_table.hpp"
#include "deploy/config/config_cluster.hpp"
#include "deploy/config/file_text.hpp"
#include "deploy/program/flag_checks.hpp"
#include "deploy/program/flag_values.hpp"
#include "deploy/program/option_flags.hpp"
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

void add_listening_flags(CLI::App& app, access_flag_values& typed) {
  app.add_option("--listen", typed.listen, "Host and port at once, or a unix socket that only this user can connect to")
      ->check(must_be_listening_place())
      ->excludes("--host")
      ->excludes("--port")
      ->type_name("HOST:PORT|unix:PATH");
  app.add_option("--admin-listen", typed.admin_listen, "Where to listen for operators, who find /metrics there")
      ->check(must_be_listening_place())
      ->type_name("HOST:PORT|unix:PATH");
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
  typed.listen = protocol::host_port_text(typed.options.host, typed.options.port);
  app.add_option(flag(cluster_option::listen), typed.listen, "Where to listen for other nodes")
      ->check(must_be_host_port())
      ->type_name("HOST:PORT")
      ->capture_default_str();
  app.add_option(flag(cluster_option::join), typed.options.join,
                 "Other nodes, of a name all its addresses; commas between them, or repeated; may be the node itself")
      ->check(must_be_host_port())
      ->type_name("HOST:PORT,...")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void add_key_flag(CLI::App& app, cluster_flag_values& typed) {
  app.add_option(flag(cluster_option::key), typed.options.key_file,
                 "The secret that all nodes have, at least 16 bytes; while it changes several, one a line")
      ->type_name("FILE");
}

} // namespace

void add_access_flags(CLI::App& app, gateway_options& options, access_flag_values& typed) {
  constexpr auto group = protocol::flag_group::access;
  add_option_flags(app, actors::option_table::gateway_rows, group, options);
  add_listening_flags(app, typed);
  add_option_flags(app, actors::option_table::limit_rows, group, options.limits);
  add_option_flags(app, actors::option_table::auth_rows, group, options.auth);
  add_option_flags(app, actors::option_table::tls_rows, group, typed.tls);
  add_option_flags(app, actors::option_table::admin_rows, group, typed.admin);
  app.get_option("--admin-open")->excludes("--admin-token-file");
}

void set_access(gateway_options& options, const access_flag_values& typed) {
  if (typed.tls != tls_options{})
    options.tls = typed.tls;
  set_place(typed.listen, options.host, options.port);
  if (typed.admin_listen.empty() && typed.admin == admin_options{})
    return;
  options.admin = typed.admin;
  set_place(typed.admin_listen, options.admin->host, options.admin->port);
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
  constexpr auto group = protocol::flag_group::cluster;
  add_option_flags(app, actors::option_table::cluster_rows, group, typed.options);
  add_address_flags(app, typed);
  add_key_flag(app, typed);
  add_option_flags(app, actors::option_table::cluster_tls_rows, group, typed.options);
}

std::optional<cluster_options> options_of(cluster_flag_values typed, const std::set<std::string>& given) {
  if (std::ranges::none_of(cluster_flags, [&](auto name) { return given.contains(std::string(name)); }))
    return std::nullopt;
  const auto listen = protocol::read_host_port(typed.listen);
  typed.options.host = listen->host;
  typed.options.port = listen->port;
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

} // namespace troupe::deploy

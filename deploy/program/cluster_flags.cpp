#include "deploy/program/cluster_flags.hpp"

#include "deploy/config/cluster_option_names.hpp"
#include "deploy/config/file_text.hpp"
#include "deploy/program/flag_checks.hpp"
#include "deploy/program/flag_times.hpp"
#include "protocol/options/cluster_rules.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace troupe::deploy {

namespace {

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

} // namespace

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

} // namespace troupe::deploy

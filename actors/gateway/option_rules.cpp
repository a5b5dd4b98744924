#include "actors/gateway/option_rules.hpp"

#include "actors/gateway/admin_rules.hpp"
#include "actors/gateway/auth_rules.hpp"
#include "actors/gateway/caller_needs.hpp"
#include "actors/gateway/cluster_setup.hpp"
#include "actors/gateway/server_names.hpp"
#include "actors/gateway/server_rules.hpp"
#include "actors/gateway/trace_rules.hpp"
#include "net/server/listening_socket.hpp"
#include "protocol/http/known_paths.hpp"
#include "protocol/options/cluster_rules.hpp"
#include "protocol/options/server_rules.hpp"
#include "protocol/text/ip_address.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

namespace troupe::actors {

namespace {

using fault = std::optional<std::string>;

fault check_cluster(const gateway_options& options) {
  if (!options.cluster)
    return std::nullopt;
  if (options.predecessor >= 0)
    return "a node of a cluster does not take over from another process: other nodes take its place";
  for (const auto& [option, text] : problems_of(protocol::view_of(*options.cluster)))
    return "cluster." + std::string(protocol::cluster_member_names[static_cast<std::size_t>(option)]) + ' ' + text;
  return why_no_node(*options.cluster);
}

fault check_limits(const gateway_options& options) {
  constexpr std::size_t most_threads = 1024;
  if (options.threads > most_threads || options.handler_threads > most_threads)
    return "there are more than " + std::to_string(most_threads) + " threads";
  if (options.handler_threads == 0)
    return "handler_threads must be above zero";
  if (options.max_sessions == 0)
    return "max_sessions must be above zero";
  if (options.max_body == 0)
    return "max_body must be above zero";
  if (std::min(options.limits.event_bytes, options.limits.waiting_bytes) == 0)
    return "limits.event_bytes and limits.waiting_bytes must be above zero";
  if (options.limits.message_bytes < 1024 || options.limits.message_bytes > 1024 * 1024 * 1024)
    return "limits.message_bytes must be 1 KiB to 1 GiB";
  if (options.limits.processes == 0 || options.limits.processes > 1'000'000)
    return "limits.processes must be 1 to 1,000,000";
  return std::nullopt;
}

fault check_paths(const gateway_options& options) {
  std::set<std::string_view> seen;
  for (const auto* paths : {&options.mcp_paths, &options.sse_paths, &options.message_paths, &options.health_paths})
    for (const auto& path : *paths) {
      if (auto why = protocol::fault_of_path(path); !why.empty())
        return "the path '" + path + "' " + why;
      if (!seen.insert(path).second)
        return "the path '" + path + "' is given twice";
    }
  return std::nullopt;
}

fault check_proxies(const gateway_options& options) {
  for (const auto& proxy : options.limits.trusted_proxies)
    if (!protocol::ip_networks::is_valid(proxy))
      return "limits.trusted_proxies must be addresses or networks such as 10.0.0.0/8";
  return std::nullopt;
}

fault check_times(const gateway_options& options) {
  if (std::min({options.grace, options.stream_time, options.instructions_patience}).count() < 0)
    return "grace, stream_time and instructions_patience must not be below zero";
  if (std::min({options.list_patience, options.session_timeout, options.abandoned_timeout, options.lease_time,
                options.request_timeout, options.initialize_timeout, options.upgrade_time})
          .count() <= 0)
    return "list_patience, lease_time, upgrade_time and the timeouts must be above zero";
  return std::nullopt;
}

/// What takes something that the gateway does not have.
fault check_needs(const gateway_options& options, bool in_host) {
  const bool has_store = options.cluster && !options.cluster->store.empty();
  for (const auto& one : options.servers) {
    if (one.recovery == recovery::restore && !has_store)
      return "the server " + one.name + " is to be restored, which takes cluster.store";
    if (auto why = protocol::fault_of_needs(needs_of(one, options)); !why.empty())
      return "the server " + one.name + ' ' + why;
    if (exchanges_tokens(one) && options.cluster && options.cluster->plain)
      return "the server " + one.name +
             " takes callers' tokens, which do not travel between nodes in plain: give cluster.tls";
    if (std::holds_alternative<actor_server>(one.source) && !in_host)
      return "the server " + one.name + " is an actor, which takes a gateway in the actor system of its host";
  }
  return std::nullopt;
}

/// Who may come in depends on where a socket really listens.
template <class Options>
void name_place(Options& of) {
  auto place = net::place_of(of.socket);
  std::tie(of.host, of.port) = std::tie(place.host, place.port);
}

} // namespace

std::optional<std::string> why_not(const gateway_options& options, bool in_host) {
  for (auto* rule : {check_cluster, check_limits, check_paths, check_proxies, check_times})
    if (auto why = rule(options))
      return why;
  if (auto why = why_not_serve(options.servers, options.merge || options.servers.size() > 1))
    return why;
  for (auto* rule : {why_not_auth, why_not_admin, why_not_traces})
    if (auto why = rule(options))
      return why;
  return check_needs(options, in_host);
}

gateway_options checked(gateway_options options, bool in_host) {
  if (options.socket >= 0)
    name_place(options);
  if (options.admin && options.admin->socket >= 0)
    name_place(*options.admin);
  options.servers = named(std::move(options.servers));
  if (const auto why = why_not(options, in_host))
    throw std::runtime_error(*why);
  return options;
}

} // namespace troupe::actors

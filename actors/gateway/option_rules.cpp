#include "actors/gateway/option_rules.hpp"

#include "actors/gateway/access_setup.hpp"
#include "actors/gateway/admin_token.hpp"
#include "actors/gateway/cluster_keys.hpp"
#include "actors/gateway/cluster_setup.hpp"
#include "actors/gateway/option_table.hpp"
#include "actors/gateway/server_rules.hpp"
#include "net/server/listening_socket.hpp"
#include "protocol/access/access_key.hpp"
#include "protocol/http/known_paths.hpp"
#include "protocol/options/admin_token.hpp"
#include "protocol/options/cluster_rules.hpp"
#include "protocol/options/server_rules.hpp"
#include "protocol/text/host_port.hpp"
#include "protocol/text/ip_address.hpp"
#include "protocol/text/url.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

namespace troupe {

namespace {

bool has_token(const admin_options& admin) { return !admin.token.empty() || !admin.token_file.empty(); }

std::optional<std::string> why_not_open(const admin_options& admin) {
  if (has_token(admin))
    return "admin.open (--admin-open) asks operators for no token, and one is given: leave one of them out";
  if (protocol::is_unix_socket(admin.host))
    return "admin.open (--admin-open) is not for a unix socket, where no token is asked for: leave it out";
  if (protocol::is_loopback(admin.host))
    return std::nullopt;
  return "admin.open (--admin-open) is for loopback addresses only, and operators are listened for at " + admin.host +
         ": give admin.tokenFile (--admin-token-file) instead";
}

/// Returns in one line why there can be no listener for operators with these options. Token files are checked on
/// reading.
std::optional<std::string> why_not_admin(const gateway_options& options) {
  if (!options.admin)
    return std::nullopt;
  const auto& admin = *options.admin;
  if (admin.host.empty())
    return "admin.host is empty";
  if (!admin.token.empty() && !admin.token_file.empty())
    return "admin.token and admin.token_file are two tokens: give one of them";
  if (auto why = admin.token.empty() ? std::string{} : protocol::fault_of_admin_token(admin.token); !why.empty())
    return "admin.token " + why;
  if (admin.open)
    return why_not_open(admin);
  if (has_token(admin) || protocol::is_loopback(admin.host) || protocol::is_unix_socket(admin.host))
    return std::nullopt;
  return "operators are listened for at " + admin.host +
         ", beyond this machine, and would not be asked who they are: give admin.tokenFile (--admin-token-file)";
}

using auth_fault = std::optional<std::string>;

auth_fault check_url(const auth_options& auth) {
  std::string why_not;
  auto url = protocol::parse_http_url(auth.url, why_not);
  if (auth.url.empty())
    return std::nullopt;
  if (!url)
    return "auth.url: " + why_not;
  auto path = std::string_view{url->target}.substr(0, url->target.size() - (url->target.ends_with('/') ? 1 : 0));
  auto fault = path.empty() ? std::string{} : protocol::fault_of_prefix(path);
  if (!fault.empty())
    return "auth.url: its path " + fault;
  return std::nullopt;
}

/// An issuer's keys must come over TLS: an attacker on the network could replace them.
auth_fault check_issuer(const auth_options& auth) {
  if (!auth.issuer)
    return std::nullopt;
  std::string why_not;
  auto url = protocol::parse_http_url(auth.issuer->url, why_not);
  if (!url)
    return "auth.issuer: " + why_not;
  if (!url->is_confidential())
    return "auth.issuer must be https, unless it is on this machine";
  if (auth.url.empty() && auth.issuer->audiences.empty())
    return "auth.issuer takes auth.url or auth.audience: tokens must be for this gateway";
  if (auth.issuer->client_id.empty() != auth.issuer->client_secret.empty())
    return "auth.introspection takes a client id and a secret";
  return std::nullopt;
}

auth_fault check_scopes(const auth_options& auth) {
  if (!std::ranges::all_of(auth.scopes, protocol::is_scope))
    return "auth.scopes must be words without quotes, commas and backslashes";
  return std::nullopt;
}

auth_fault check_tls(const gateway_options& options) {
  const auto& tls = options.tls;
  if (tls && (tls->certificate.empty() || tls->private_key.empty()))
    return "tls takes a certificate (tls.cert, --tls-cert) and its key (tls.key, --tls-key)";
  if (tls && !tls->client_crl.empty() && tls->client_ca.empty())
    return "tls.clientCrl (--tls-client-crl) takes tls.clientCa (--tls-client-ca): nobody is asked for a certificate "
           "without it";
  if (!options.auth.certificates.empty() && (!tls || tls->client_ca.empty()))
    return "auth.certificates takes tls.clientCa (--tls-client-ca): nobody is asked for a certificate without it";
  for (const auto& [pattern, scopes] : options.auth.certificates)
    if (!std::ranges::all_of(scopes, protocol::is_scope))
      return "auth.certificates: scopes must be words without quotes, commas and backslashes";
  return std::nullopt;
}

auth_fault check_reach(const gateway_options& options) {
  auto& auth = options.auth;
  const auto is_asked = !auth.keys_file.empty() || auth.issuer || (options.tls && !options.tls->client_ca.empty());
  const auto is_here = protocol::is_loopback(options.host) || protocol::is_unix_socket(options.host);
  if (is_asked || is_here || auth.allow_anonymous)
    return std::nullopt;
  return options.host + " is beyond this machine, and nobody would be asked who he is: give auth.keys (--keys), "
                        "auth.issuer or tls.clientCa (--tls-client-ca), or let everybody in with auth.allowAnonymous "
                        "(--allow-anonymous)";
}

// Returns in one line why the options for authentication and access are invalid.
std::optional<std::string> why_not_auth(const gateway_options& options) {
  for (auto* rule : {check_url, check_issuer, check_scopes})
    if (auto why = rule(options.auth))
      return why;
  if (auto why = check_tls(options))
    return why;
  return check_reach(options);
}

// Returns in one line why the options for tracing are invalid.
std::optional<std::string> why_not_traces(const gateway_options& options) {
  if (!options.traces)
    return std::nullopt;
  const auto& traces = *options.traces;
  std::string why_not;
  if (!protocol::parse_http_url(traces.endpoint, why_not))
    return "traces.endpoint " + why_not;
  if (!(traces.ratio >= 0 && traces.ratio <= 1))
    return "traces.ratio must be 0 to 1";
  if (traces.queue > actors::option_table::span_bounds.most)
    return "traces.queue must be at most " + std::to_string(actors::option_table::span_bounds.most);
  if (traces.batch == 0 || traces.batch > traces.queue)
    return "traces.batch must be above zero and at most traces.queue";
  if (std::min({traces.delay, traces.timeout, traces.patience}).count() <= 0)
    return "traces.delay, traces.timeout and traces.patience must be above zero";
  return std::nullopt;
}

} // namespace

void check_options(const gateway_options& options) {
  const auto all = actors::checked(options, false);
  actors::make_tls(all);
  if (all.admin)
    actors::admin_token{*all.admin};
  if (all.cluster)
    actors::cluster_keys{*all.cluster};
  if (actors::known_credentials none; !all.auth.keys_file.empty())
    actors::begin_keys(all.auth.keys_file, none);
}

namespace actors {

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

fault check_rows(const gateway_options& options) {
  for (auto why :
       {protocol::fault_of_options(option_table::gateway_rows, options),
        protocol::fault_of_options(option_table::limit_rows, options.limits, "limits."),
        protocol::fault_of_options(option_table::address_rows, options.limits.per_address, "limits.per_address.")})
    if (!why.empty())
      return why;
  return std::nullopt;
}

/// Checks the threads for handlers, which only a host can set.
fault check_handlers(const gateway_options& options) {
  const auto why = protocol::fault_of_bounds(options.handler_threads, {1, 1024});
  return why.empty() ? std::nullopt : fault{"handler_threads " + why};
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

/// Checks servers that need a feature which the gateway does not have.
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

/// Sets host and port to the real address of a socket, as access rules depend on them.
template <class Options>
void name_place(Options& of) {
  auto place = net::place_of(of.socket);
  std::tie(of.host, of.port) = std::tie(place.host, place.port);
}

} // namespace

std::optional<std::string> why_not(const gateway_options& options, bool in_host) {
  for (auto* rule : {check_cluster, check_rows, check_handlers, check_paths, check_proxies})
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

} // namespace actors

} // namespace troupe

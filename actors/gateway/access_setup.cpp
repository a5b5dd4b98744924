#include "actors/gateway/access_setup.hpp"

#include "actors/troupe/tls_options.hpp"
#include "protocol/grants/token_grant.hpp"
#include "protocol/text/host_port.hpp"
#include "protocol/text/url.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

net::server_tls loaded(const tls_options& options) {
  return net::server_tls{{options.certificate, options.private_key, options.client_ca, true, options.client_crl}};
}

} // namespace

std::chrono::sys_seconds certificate_expiry(const tls_options& options) { return loaded(options).expires(); }

std::optional<std::chrono::sys_seconds> revocations_expiry(const tls_options& options) {
  return loaded(options).revocations_expire();
}

namespace actors {

namespace {

constexpr std::size_t longest_key_file = 16 * 1024 * 1024;

protocol::audience_rules audience_of(const auth_options& options) {
  protocol::audience_rules result;
  if (!options.url.empty())
    result.url = protocol::canonical_uri(options.url);
  if (result.url.ends_with('/'))
    result.url.pop_back();
  if (options.issuer)
    std::ranges::transform(options.issuer->audiences, std::back_inserter(result.names), protocol::canonical_uri);
  return result;
}

/// True if callers need no credentials. If only certificates are required, TLS refuses other clients before this point.
bool is_open(const gateway_options& all) {
  auto asks_for_certificates = all.tls && !all.tls->client_ca.empty();
  return all.auth.allow_anonymous || (all.auth.keys_file.empty() && !all.auth.issuer && !asks_for_certificates);
}

protocol::endpoint_guard_rules guard_of(const gateway_options& all) {
  auto& options = all.auth;
  protocol::endpoint_guard_rules result;
  result.is_open = is_open(all);
  result.is_for_this_machine = result.is_open && !options.allow_anonymous;
  result.trusted_proxies = protocol::ip_networks{all.limits.trusted_proxies};
  result.issuer = options.issuer ? options.issuer->url : std::string{};
  result.audience = audience_of(options);
  if (!all.sse_paths.empty()) {
    result.sse_paths = all.sse_paths;
    result.sse_paths.push_back(protocol::endpoint_path({protocol::endpoint::sse}));
  }
  result.scopes = result.known_scopes = options.scopes;
  result.includes = {options.scope_includes.begin(), options.scope_includes.end()};
  return result;
}

/// Client certificates are optional if there are other kinds of credentials.
net::server_tls_files files_of(const tls_options& tls, const gateway_options& options) {
  auto& auth = options.auth;
  return {tls.certificate, tls.private_key, tls.client_ca,
          !auth.allow_anonymous && auth.keys_file.empty() && !auth.issuer, tls.client_crl};
}

protocol::token_verifier::rules token_rules_of(const auth_options& options) {
  protocol::token_verifier::rules result;
  result.token = {options.issuer->url, audience_of(options), options.issuer->groups_claim};
  result.introspects = !options.issuer->client_id.empty();
  return result;
}

} // namespace

net::watched_file begin_keys(const std::string& path, known_credentials& credentials) {
  net::watched_file file{path, longest_key_file};
  auto keys = read_keys(file.look().value_or(net::watched_file::news{}), path);
  if (auto* why = std::get_if<std::string>(&keys))
    throw std::runtime_error{*why};
  credentials.change(std::move(std::get<protocol::key_table>(keys)));
  return file;
}

access_setup make_access_setup(const gateway_options& options, unit& at, net::io_thread& thread,
                               net::worker_pool& checkers, const credentials_owner_actor& owner) {
  auto& auth = options.auth;
  access_setup result;
  result.endpoint_guard = guard_of(options);
  result.certificates = {auth.certificates.begin(), auth.certificates.end()};
  result.credentials = std::make_shared<known_credentials>(auth.issuer.has_value());
  if (auth.keys_file.empty() && !auth.issuer)
    return result;
  authenticator_setup setup;
  setup.credentials = result.credentials;
  setup.issuer_text = result.issuer_text;
  setup.log = event_log{options.log};
  setup.checkers = &checkers;
  if (!auth.keys_file.empty())
    setup.keys = begin_keys(auth.keys_file, *result.credentials);
  if (auth.issuer) {
    setup.tokens = token_rules_of(auth);
    setup.authorization = protocol::basic_authorization(auth.issuer->client_id, auth.issuer->client_secret);
    setup.ca_file = auth.issuer->ca_file;
  }
  result.authenticator = at.system().spawn<authenticator>(std::ref(at), std::ref(thread), owner, std::move(setup));
  return result;
}

std::shared_ptr<net::server_tls> make_tls(const gateway_options& options) {
  if (!options.tls)
    return nullptr;
  auto tell = [log = event_log{options.log}](const std::string& why_not) {
    if (why_not.empty())
      log(log_level::info, "certificate changed");
    else
      log(log_level::error, "the certificate stays as it was", {{"why", why_not}});
  };
  auto tell_expired = [log = event_log{options.log}](const std::string& file) {
    log(log_level::error,
        "clients with certificates are refused: a list of revoked certificates has expired, get a new one of its "
        "authority",
        {{"file", file}});
  };
  return std::make_shared<net::server_tls>(files_of(*options.tls, options), std::move(tell), std::chrono::seconds{1},
                                           std::move(tell_expired));
}

protocol::known_paths paths_of(const gateway_options& options) {
  protocol::known_paths result;
  for (auto [paths, to] : {std::pair{&options.mcp_paths, protocol::endpoint::mcp},
                           {&options.sse_paths, protocol::endpoint::sse},
                           {&options.message_paths, protocol::endpoint::messages},
                           {&options.health_paths, protocol::endpoint::health}})
    for (auto& path : *paths)
      result.add(to, path);
  result.set_prefix(std::string{audience_of(options.auth).path()});
  return result;
}

/// Host checks do not apply to a unix socket: pages in a browser cannot reach it under any name.
protocol::access_rules make_access_rules(const gateway_options& options, bool is_loopback) {
  protocol::access_rules result;
  result.paths = paths_of(options);
  result.loopback_only = is_loopback && !protocol::is_unix_socket(options.host);
  result.host = options.host;
  result.allowed_hosts = options.allowed_hosts;
  result.trusted_proxies = protocol::ip_networks{options.limits.trusted_proxies};
  result.allow_origins = options.allow_origins;
  result.shows_state = options.debug_state;
  result.has_metadata = options.auth.issuer.has_value();
  return result;
}

} // namespace actors

} // namespace troupe

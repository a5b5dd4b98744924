#include "actors/gateway/auth_rules.hpp"

#include "protocol/access/access_key.hpp"
#include "protocol/http/known_paths.hpp"
#include "protocol/text/host_port.hpp"
#include "protocol/text/url.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

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

/// Whoever could read the keys of an issuer on their way could change them.
auth_fault check_issuer(const auth_options& auth) {
  if (!auth.issuer)
    return std::nullopt;
  std::string why_not;
  auto url = protocol::parse_http_url(auth.issuer->url, why_not);
  if (!url)
    return "auth.issuer: " + why_not;
  if (!url->is_secure && !protocol::is_loopback(url->host))
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

} // namespace

std::optional<std::string> why_not_auth(const gateway_options& options) {
  for (auto* rule : {check_url, check_issuer, check_scopes})
    if (auto why = rule(options.auth))
      return why;
  if (auto why = check_tls(options))
    return why;
  return check_reach(options);
}

} // namespace troupe::actors

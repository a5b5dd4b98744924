#include "deploy/config/config_callers.hpp"

#include "protocol/access/permissions.hpp"
#include "protocol/options/server_rules.hpp"
#include "protocol/text/caller_parts.hpp"
#include "protocol/text/url.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <variant>

namespace troupe::deploy {

namespace {

bool is_told(const std::vector<std::pair<std::string, std::string>>& texts) {
  return std::ranges::any_of(texts, [](auto& one) { return protocol::depends_on_caller(one.second); });
}

void check_caller_needs(const server_entry& server, const gateway_options& gateway) {
  const auto& auth = gateway.auth;
  const auto asks_for_certificates = gateway.tls && !gateway.tls->client_ca.empty();
  const auto& from = server.options.source;
  const auto* far = std::get_if<remote_server>(&from);
  const auto* program = std::get_if<command_server>(&from);
  const auto how = server.options.sharing;
  const auto why = protocol::fault_of_needs(
      {.is_told = far ? is_told(far->headers) : program && is_told(program->environment),
       .exchanges = far && far->auth && far->auth->grant == grant_options::kind::token_exchange,
       .has_one_caller = how != sharing::shared && how != sharing::pool,
       .knows_callers = !auth.keys_file.empty() || auth.issuer || asks_for_certificates,
       .knows_tokens = auth.issuer.has_value()});
  if (!why.empty())
    server.entry.error(why);
}

void check_server_grant(const server_entry& server) {
  const auto* far = std::get_if<remote_server>(&server.options.source);
  if (!far || !far->auth)
    return;
  const auto& auth = *far->auth;
  const auto is_own = [](auto& header) { return protocol::same_word(header.first, "Authorization"); };
  const auto why = protocol::fault_of_grant({auth.issuer,
                                             auth.token_endpoint,
                                             auth.client_id,
                                             auth.client_secret,
                                             auth.resource,
                                             {auth.scopes.begin(), auth.scopes.end()},
                                             std::ranges::any_of(far->headers, is_own)});
  if (!why.empty())
    server.entry.error(why);
}

/// What travels between nodes then could be read on its way.
void check_travel(const server_entry& server, const std::optional<cluster_options>& cluster) {
  const auto* far = std::get_if<remote_server>(&server.options.source);
  const auto exchanges = far && far->auth && far->auth->grant == grant_options::kind::token_exchange;
  if (exchanges && cluster && cluster->plain)
    server.entry.error("takes callers' tokens, which do not travel between nodes in plain: give `gateway.cluster.tls`");
}

bool has_callers_of(std::string_view issuer, const gateway_options& gateway) {
  const auto& auth = gateway.auth;
  if (issuer == protocol::key_issuer)
    return !auth.keys_file.empty();
  if (issuer == protocol::certificate_issuer)
    return gateway.tls && !gateway.tls->client_ca.empty();
  return auth.issuer && (issuer == protocol::any_token_issuer || protocol::same_uri(issuer, auth.issuer->url));
}

/// A slip there lets nobody in, which looks like a server that is not there.
void check_issuers(const server_entry& server, const gateway_options& gateway) {
  const auto& access = server.options.access;
  std::set<std::string> unknown;
  const auto look = [&](const allowed_callers& rule) {
    std::ranges::copy_if(rule.issuers, std::inserter(unknown, unknown.end()),
                         [&](const std::string& one) { return !has_callers_of(one, gateway); });
  };
  look(access.server);
  for (const auto* things : {&access.tools, &access.prompts, &access.resources})
    for (const auto& [pattern, rule] : *things)
      look(rule);
  for (const auto& member : unknown.empty() ? std::vector<config_member>{} : server.entry.members())
    if (member.name == "access")
      for (const auto& one : unknown)
        member.value.warn(
            "names the issuer `" + protocol::one_line(one) +
            "`, of which the gateway takes no callers: that lets nobody in. Name the issuer as `auth.issuer` "
            "does, or `key`, `certificate` or `token`, where `auth` or `tls` takes such");
}

} // namespace

void check_callers(const std::vector<server_entry>& servers, const gateway_options& gateway) {
  for (const auto& server : servers) {
    check_caller_needs(server, gateway);
    check_server_grant(server);
    check_travel(server, gateway.cluster);
    check_issuers(server, gateway);
  }
}

} // namespace troupe::deploy

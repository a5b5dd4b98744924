#include "deploy/config/config_callers.hpp"

#include "protocol/options/caller_rules.hpp"
#include "protocol/text/caller_parts.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
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

} // namespace

void check_callers(const std::vector<server_entry>& servers, const gateway_options& gateway) {
  for (const auto& server : servers) {
    check_caller_needs(server, gateway);
    check_server_grant(server);
    check_travel(server, gateway.cluster);
  }
}

} // namespace troupe::deploy

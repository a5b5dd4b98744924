#include "actors/gateway/caller_needs.hpp"

#include "protocol/access/caller_text.hpp"

#include <variant>

namespace troupe::actors {

bool is_told_of_callers(const server_options& server) {
  if (const auto* program = std::get_if<command_server>(&server.source))
    return protocol::depend_on_caller(program->environment);
  const auto* far = std::get_if<remote_server>(&server.source);
  return far && protocol::depend_on_caller(far->headers);
}

bool shares_modern(const server_options& server) {
  return server.sharing == sharing::automatic && server.era != era::legacy &&
         std::holds_alternative<command_server>(server.source) && !is_told_of_callers(server);
}

bool exchanges_tokens(const server_options& server) {
  const auto* far = std::get_if<remote_server>(&server.source);
  return far && far->auth && far->auth->grant == grant_options::kind::token_exchange;
}

protocol::caller_needs needs_of(const server_options& server, const gateway_options& options) {
  const auto& auth = options.auth;
  const auto asks_for_certificates = options.tls && !options.tls->client_ca.empty();
  return {.is_told = is_told_of_callers(server),
          .exchanges = exchanges_tokens(server),
          .has_one_caller = server.sharing != sharing::shared && server.sharing != sharing::pool,
          .knows_callers = !auth.keys_file.empty() || auth.issuer || asks_for_certificates,
          .knows_tokens = auth.issuer.has_value()};
}

} // namespace troupe::actors

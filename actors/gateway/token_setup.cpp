#include "actors/gateway/token_setup.hpp"

#include "actors/access/token_source.hpp"
#include "actors/gateway/server_rules.hpp"
#include "protocol/text/url.hpp"

#include <utility>

namespace troupe::actors {

namespace {

/// RFC 8707, 2: no fragment, and no query unless it is necessary.
std::string resource_of(const std::string& url) {
  std::string why_not;
  auto parsed = protocol::parse_http_url(url, why_not);
  if (!parsed)
    return {};
  auto path = parsed->target.substr(0, parsed->target.find('?'));
  return parsed->origin() + (path == "/" ? "" : path);
}

protocol::grant_rules grant_of(const grant_options& auth, const std::string& url) {
  using rules = protocol::grant_rules;
  return {.is = auth.grant == grant_options::kind::token_exchange ? rules::kind::token_exchange
                                                                  : rules::kind::client_credentials,
          .issuer = auth.issuer,
          .endpoint = auth.token_endpoint,
          .client_id = auth.client_id,
          .client_secret = auth.client_secret,
          .by = auth.secret_in_form ? rules::proof::post : rules::proof::basic,
          .scopes = auth.scopes,
          .resource = auth.resource.value_or(resource_of(url)),
          .audience = auth.audience};
}

/// Returns the texts that depend on the caller.
protocol::named_texts texts_told_by(const server_options& server) {
  protocol::named_texts result;
  if (const auto* program = std::get_if<command_server>(&server.source))
    result = program->environment;
  else if (const auto* far = std::get_if<remote_server>(&server.source))
    result = far->headers;
  std::erase_if(result, [](auto& one) { return !protocol::depend_on_caller({one}); });
  return result;
}

} // namespace

std::function<token_source_actor(unit& at)> token_source_of(const server_options& server,
                                                            const gateway_options& options, const upstream_home& home) {
  const auto* far = std::get_if<remote_server>(&server.source);
  if (!far || !far->auth)
    return {};
  if (exchanges_tokens(server))
    home.callers->want();
  token_source_setup setup{server.name, grant_of(*far->auth, far->url), far->auth->ca_file, home.callers,
                           event_log{options.log}};
  return [setup, &threads = home.threads](unit& at) -> token_source_actor {
    return at.system().spawn<token_source>(std::ref(at), std::ref(*threads[at.number()]), setup);
  };
}

/// Returns the identity of a caller for a server. Values that the server receives are part of it, so a caller with a
/// changed token counts as another. If tokens are exchanged, their scopes are part of it, too.
std::function<std::variant<std::string, protocol::unavailable_attribute>(const protocol::caller& who)>
make_sharing_key(const server_options& server) {
  const auto exchanges = exchanges_tokens(server);
  if (!exchanges && !receives_caller(server))
    return {};
  const auto where = std::holds_alternative<remote_server>(server.source) ? protocol::attribute_target::header
                                                                          : protocol::attribute_target::variable;
  return [exchanges, where, texts = texts_told_by(server)](
             const protocol::caller& who) -> std::variant<std::string, protocol::unavailable_attribute> {
    if (exchanges && (!who || !protocol::has_token(*who)))
      return protocol::unavailable_attribute{"no token for the MCP server: " + protocol::why_no_subject_token(who)};
    auto told = protocol::texts_for(texts, who, where);
    if (auto* why = std::get_if<protocol::unavailable_attribute>(&told))
      return std::move(*why);
    auto owner = protocol::identity_of(who);
    if (exchanges)
      owner += protocol::scopes_key(*who);
    for (auto& [name, value] : std::get<protocol::named_texts>(told))
      owner.append(std::to_string(value.size())).append(":").append(value);
    return owner;
  };
}

} // namespace troupe::actors

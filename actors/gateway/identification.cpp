#include "actors/gateway/identification.hpp"

#include "protocol/access/credentials.hpp"

#include <utility>

namespace troupe::actors {

namespace {

std::string refused(int status, std::string_view why) {
  return "refused with " + std::to_string(status) + ", " + std::string{why};
}

} // namespace

identification::identification(const gateway_options& options)
    : takes_certificates_{options.tls && !options.tls->client_ca.empty()}, unit_{system_.system(), 0, *thread_, live_,
                                                                                 event_log{options.log}},
      actors_{*live_, thread_, spawn_token_query()}, setup_{make_access_setup(options, unit_, *thread_, checkers_,
                                                                              actors_.owner)} {}

identification::actor_scope::~actor_scope() {
  caf::anon_send_exit(owner, caf::exit_reason::user_shutdown);
  alive.wait_until_none();
  thread.reset();
}

token_query_actor identification::spawn_token_query() {
  auto judged = std::make_shared<std::promise<protocol::token_verdict>>();
  verdict_ = judged->get_future();
  return system_.system().spawn<token_query>(
      std::ref(unit_), [judged](protocol::token_verdict verdict) { judged->set_value(std::move(verdict)); });
}

/// Parses the secret as from a client's request.
identification::finding identification::identify_secret(const std::string& secret) {
  if (!setup_.authenticator)
    return "there are neither keys nor an issuer: no key or token is looked at";
  const auto field = "Bearer " + secret;
  protocol::http_request request;
  request.fields.push_back({"Authorization", field});
  auto credentials = protocol::read_credentials(request);
  if (auto* bad = std::get_if<protocol::bad_credentials>(&credentials))
    return refused(400, bad->why);
  auto shown = std::get<protocol::bearer>(credentials).secret;
  auto found = setup_.credentials->find(shown, unit_.now());
  if (auto* who = std::get_if<protocol::caller>(&found))
    return std::move(*who);
  if (auto* why = std::get_if<std::string>(&found))
    return refused(401, *why);
  return query_issuer(shown);
}

/// Waits for the verdict. An authenticator that failed gives none.
protocol::token_verdict identification::verdict() {
  try {
    return verdict_.get();
  } catch (const std::future_error&) {
    return protocol::token_verdict::unavailable("the token could not be looked at");
  }
}

identification::finding identification::query_issuer(std::string_view token) {
  caf::anon_send(setup_.authenticator, token_presented{std::string{token}, actors_.owner});
  auto judged = verdict();
  if (judged.is == protocol::token_verdict::kind::good)
    return std::move(judged.who);
  return refused(judged.is == protocol::token_verdict::kind::bad ? 401 : 503, judged.why);
}

std::vector<identification::finding> identification::identify_name(const std::string& name) const {
  std::vector<finding> result;
  if (auto key = setup_.credentials->find_key(name)) {
    auto* why = std::get_if<std::string>(&*key);
    result.push_back(why ? finding{refused(401, *why)} : std::move(*key));
  }
  if (auto who = takes_certificates_ ? protocol::certificate_holder(name, setup_.certificates) : nullptr)
    result.emplace_back(std::move(who));
  return result;
}

identification::finding identification::identify_subject(const std::string& subject,
                                                         const std::vector<std::string>& scopes,
                                                         const std::vector<std::string>& groups) const {
  auto& issuer = setup_.endpoint_guard.issuer;
  auto& audience = setup_.endpoint_guard.audience;
  if (issuer.empty())
    return "there is no issuer (auth.issuer) whose token could name him";
  return std::make_shared<const protocol::principal>(
      protocol::principal{.issuer = issuer,
                          .subject = subject,
                          .scopes = scopes,
                          .groups = groups,
                          .audiences = {audience.url.empty() ? audience.names.front() : audience.url}});
}

} // namespace troupe::actors

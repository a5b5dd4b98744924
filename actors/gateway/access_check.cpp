#include "actors/troupe/access_check.hpp"

#include "actors/access_messages.hpp"
#include "actors/gateway/access_setup.hpp"
#include "actors/gateway/actor_system.hpp"
#include "actors/gateway/gateway_setup.hpp"
#include "actors/gateway/option_rules.hpp"
#include "actors/gateway/token_setup.hpp"
#include "actors/runtime/io_unit.hpp"
#include "actors/runtime/pinned.hpp"
#include "net/guarded.hpp"
#include "net/io_thread.hpp"
#include "net/worker_pool.hpp"
#include "protocol/access/access_report.hpp"
#include "protocol/access/credentials.hpp"
#include "protocol/supervised/tool_filter.hpp"

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace troupe {

namespace {

using namespace actors;

// -- who it is ---------------------------------------------------------------------

/// Owner of an authenticator outside of a gateway, which receives the verdicts.
using token_query_actor = pending_exchange_actor::extend<caf::reacts_to<callers_revoked>>;

/// TOKEN ASKER: reports the authenticator's verdict on a token. Exits on an exit message.
class token_query_state {
public:
  using interface = token_query_actor;
  static constexpr const char* name = "token asker";

  token_query_state(pinned<interface>*, std::function<void(protocol::token_verdict)> tell) : tell_{std::move(tell)} {}

  interface::behavior_type make_behavior() {
    return {
        [this](token_checked& msg) { tell_(std::move(msg.verdict)); },
        [](exchange_closed&) {},
        [](callers_revoked&) {},
    };
  }

private:
  std::function<void(protocol::token_verdict)> tell_;
};

using token_query = actor_of<token_query_state>;

std::string refused(int status, std::string_view why) {
  return "refused with " + std::to_string(status) + ", " + std::string{why};
}

/// Finds out who a caller is, without the rest of a gateway. For one question, then destroyed.
class identification {
public:
  /// Caller, or in one line why the credentials are refused.
  using finding = std::variant<protocol::caller, std::string>;

  /// Throws `std::runtime_error` if keys cannot be used. The options must be checked.
  explicit identification(const gateway_options& options)
      : takes_certificates_{options.tls && !options.tls->client_ca.empty()}, unit_{system_.system(), 0, *thread_, live_,
                                                                                   event_log{options.log}},
        actors_{*live_, thread_, spawn_token_query()}, setup_{make_access_setup(options, unit_, *thread_, checkers_,
                                                                                actors_.owner)} {}

  const protocol::endpoint_guard_rules& endpoint_guard() const { return setup_.endpoint_guard; }

  /// Caller with this key or token, parsed as from a client's request. Blocks while an issuer is queried.
  finding identify_secret(const std::string& secret) {
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

  /// Holders of a key and of a certificate of that name.
  std::vector<finding> identify_name(const std::string& name) const {
    std::vector<finding> result;
    if (auto key = setup_.credentials->find_key(name)) {
      auto* why = std::get_if<std::string>(&*key);
      result.push_back(why ? finding{refused(401, *why)} : std::move(*key));
    }
    if (auto who = takes_certificates_ ? protocol::certificate_holder(name, setup_.certificates) : nullptr)
      result.emplace_back(std::move(who));
    return result;
  }

  /// Caller of a token for all endpoints with this subject, these scopes and groups.
  finding identify_subject(const std::string& subject, const std::vector<std::string>& scopes,
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

private:
  /// Ends the actors; the destructor waits for their exit.
  struct actor_scope {
    ~actor_scope() {
      caf::anon_send_exit(owner, caf::exit_reason::user_shutdown);
      alive.wait_until_none();
      thread.reset();
    }

    live_count& alive;
    std::unique_ptr<net::io_thread>& thread;
    token_query_actor owner;
  };

  token_query_actor spawn_token_query() {
    auto judged = std::make_shared<std::promise<protocol::token_verdict>>();
    verdict_ = judged->get_future();
    return system_.system().spawn<token_query>(
        std::ref(unit_), [judged](protocol::token_verdict verdict) { judged->set_value(std::move(verdict)); });
  }

  finding query_issuer(std::string_view token) {
    caf::anon_send(setup_.authenticator, token_presented{std::string{token}, actors_.owner});
    auto judged = verdict();
    if (judged.is == protocol::token_verdict::kind::good)
      return std::move(judged.who);
    return refused(judged.is == protocol::token_verdict::kind::bad ? 401 : 503, judged.why);
  }

  /// Waits for the verdict. An authenticator that failed gives none.
  protocol::token_verdict verdict() {
    try {
      return verdict_.get();
    } catch (const std::future_error&) {
      return protocol::token_verdict::unavailable("the token could not be looked at");
    }
  }

  bool takes_certificates_;
  own_system system_{{}};
  std::shared_ptr<live_count> live_ = std::make_shared<live_count>();
  std::unique_ptr<net::io_thread> thread_ = std::make_unique<net::io_thread>();
  io_unit unit_;
  net::worker_pool checkers_{1};
  std::future<protocol::token_verdict> verdict_;
  actor_scope actors_;
  access_setup setup_;
};

// -- what they may use ---------------------------------------------------------------

/// Returns why the server fails a caller who may use it; empty if it does not.
std::string fault_for(const server_options& server, const protocol::caller& who) {
  auto tell = make_sharing_key(server);
  auto told = tell ? tell(who) : std::variant<std::string, protocol::unavailable_attribute>{};
  auto* unavailable_attribute = std::get_if<protocol::unavailable_attribute>(&told);
  return unavailable_attribute ? unavailable_attribute->why : std::string{};
}

protocol::reported_server reported(const server_options& server, const auth_options& auth, std::string fault) {
  protocol::reported_server result{.name = server.name, .fault = std::move(fault)};
  if (auto rules = permissions_of(server.access, auth))
    result.rules = std::move(rules);
  if (!server.allow_tools.empty() || !server.deny_tools.empty())
    result.offers = [filter = protocol::tool_filter{server.allow_tools, server.deny_tools}](std::string_view tool) {
      return filter.allows(tool);
    };
  return result;
}

protocol::offered kind_of(asked_thing::kind kind) {
  if (kind == asked_thing::kind::tool)
    return protocol::offered::tool;
  return kind == asked_thing::kind::prompt ? protocol::offered::prompt : protocol::offered::resource;
}

/// Report for one caller. The options are valid.
access_answer report_for(const protocol::caller& who, const protocol::endpoint_guard_rules& endpoint_guard,
                         const gateway_options& options, const access_question& question) {
  const auto& thing = question.thing;
  protocol::access_report report;
  std::vector<protocol::reported_server> servers;
  for (const auto& one : options.servers)
    if (!thing || one.name == thing->server)
      servers.push_back(reported(one, options.auth, question.subject.empty() ? fault_for(one, who) : ""));
  if (!thing)
    report = protocol::report_of_servers(endpoint_guard, *who, servers);
  else if (servers.empty())
    report.text = "there is no server of that name\n";
  else
    report = protocol::report_of_thing(endpoint_guard, *who, servers.front(), {kind_of(thing->is), thing->name});
  return {report.allowed, protocol::text_of(*who) + report.text};
}

std::vector<identification::finding> those_asked_about(const access_question& question, identification& by) {
  if (!question.secret.empty())
    return {by.identify_secret(question.secret)};
  if (!question.subject.empty())
    return {by.identify_subject(question.subject, question.scopes, question.groups)};
  return by.identify_name(question.name);
}

/// Says where a name was looked up in vain.
std::string nobody_text(const gateway_options& options) {
  const auto has_certificates = options.tls && !options.tls->client_ca.empty();
  auto result = options.auth.keys_file.empty() ? "there are no keys (auth.keys, --keys)"
                                               : "no key of '" + options.auth.keys_file + "' has the name";
  result += has_certificates ? ", and no certificate of the name comes in (auth.certificates)"
                             : ", and no certificates are asked for (tls.clientCa, --tls-client-ca)";
  if (options.auth.issuer)
    result += "; a token tells by itself whom it names (--as -), or ask about whom it may name (--subject)";
  return result + "\n";
}

} // namespace

access_answer check_access(const gateway_options& given, const access_question& question) {
  auto options = checked(given, false);
  net::guarded<std::string> notes;
  options.log = [&notes](const log_record& note) {
    if (note.level < log_level::warning)
      return;
    auto line = "  " + note.text;
    for (auto& [name, value] : note.fields)
      line.append(", ").append(name).append(": ").append(value);
    notes.with([&](auto& all) { all += line + "\n"; });
  };
  access_answer result;
  {
    identification by{options};
    const auto found = those_asked_about(question, by);
    for (const auto& one : found) {
      const auto* who = std::get_if<protocol::caller>(&one);
      auto answer = who ? report_for(*who, by.endpoint_guard(), options, question)
                        : access_answer{false, std::get<std::string>(one) + "\n"};
      result.allowed = result.allowed || answer.allowed;
      result.text += answer.text;
    }
    if (found.empty())
      result.text = nobody_text(options);
  }
  if (!question.secret.empty()) // else no issuer was waited for
    result.text += notes.with([](auto& all) { return all; });
  return result;
}

} // namespace troupe

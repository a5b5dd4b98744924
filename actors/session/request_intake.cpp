#include "actors/session/request_intake.hpp"

#include "actors/operator_messages.hpp"
#include "actors/runtime/calendar.hpp"
#include "actors/session/broker.hpp"
#include "net/crypto.hpp"
#include "protocol/access/challenge.hpp"
#include "protocol/access/credentials.hpp"
#include "protocol/http/entry.hpp"
#include "protocol/modern_client/lease_key.hpp"
#include "protocol/modern_client/request_state.hpp"
#include "protocol/readiness.hpp"
#include "protocol/trace/message_trace.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace troupe::actors {

using protocol::transport;

namespace {

/// Answer when the session ended just as the request reached it.
protocol::http_response unknown_session() { return protocol::rejection_response(protocol::session_not_found()); }
/// Answer on a node of a cluster: the session may live on at another node.
protocol::http_response session_away() { return protocol::rejection_response(protocol::session_moves()); }
/// Answer when the lease ended just as the request reached it; the next request gets another lease.
protocol::http_response lease_gone() {
  return protocol::rejection_response(protocol::unavailable("what this was for ended in this moment"));
}
/// Answer when the gateway stopped before the session began: it may begin elsewhere, or a moment later.
protocol::http_response initialize_lost() {
  return protocol::rejection_response(protocol::unavailable("the session ended before it began"));
}

protocol::http_response stopping_response() { return protocol::health_response(false); }
protocol::http_response unready() {
  return protocol::rejection_response(protocol::not_ready({protocol::gateway_drains()}));
}

constexpr std::chrono::minutes proxy_warning_pause{1};

/// Intake of one request: identifies the caller, checks limits, and answers it or passes it on.
class request_intake {
public:
  request_intake(unit& at, const std::shared_ptr<const broker_setup>& setup, std::unique_ptr<net::exchange> one,
                 exchange_account account)
      : at_{at}, setup_{setup}, exchange_{std::move(one)}, account_{std::move(account)} {}

  void read() {
    auto entered = protocol::enter(request(), setup_->access);
    if (auto* to = std::get_if<protocol::mcp_request>(&entered); to && setup_->authenticator)
      identify(std::move(*to));
    else if (to)
      identify_by_certificate(std::move(*to));
    else if (counts_for(nullptr))
      std::visit([this](auto& one) { handle(one); }, entered);
  }

  /// Continues with the verdict on the request's token.
  void resume(const protocol::token_verdict& verdict) {
    auto entered = protocol::enter(request(), setup_->access);
    auto& to = std::get<protocol::mcp_request>(entered);
    if (auto why = guard_of(to).refuse_by(verdict))
      refuse(*why);
    else
      admit(std::move(to), verdict.who);
  }

private:
  // -- authentication
  void identify(protocol::mcp_request&& to) {
    auto credentials = protocol::read_credentials(request());
    auto* shown = std::get_if<protocol::bearer>(&credentials);
    if (auto* bad = std::get_if<protocol::bad_credentials>(&credentials)) {
      if (counts_for(nullptr))
        refuse(protocol::bad_authorization(bad->why));
      return;
    }
    if (!shown)
      return identify_by_certificate(std::move(to));
    auto found = setup_->credentials->find(shown->secret, at_.now(), at_.number());
    if (auto* who = std::get_if<protocol::caller>(&found))
      return admit(std::move(to), std::move(*who));
    if (auto* why = std::get_if<std::string>(&found))
      return refuse_unidentified(to, {protocol::unidentified::kind::bad, *why});
    if (counts_for(nullptr))
      ask(shown->secret);
  }
  void identify_by_certificate(protocol::mcp_request&& to) {
    auto found = guard().identify(setup_->certificates, to.fields.is_passed_on, calendar_now());
    if (auto* who = std::get_if<protocol::caller>(&found))
      admit(std::move(to), std::move(*who));
    else
      refuse_unidentified(to, std::get<protocol::unidentified>(found));
  }
  void ask(std::string_view token) {
    token_presented question{std::string{token}, {}, protocol::source_address(request(), setup_->proxies)};
    question.by = spawn_direct<pending_exchange_state>(at_, std::move(exchange_), setup_, std::move(account_));
    caf::anon_send(setup_->authenticator, std::move(question));
  }
  void refuse_unidentified(const protocol::mcp_request& to, const protocol::unidentified& why) {
    if (why.is == protocol::unidentified::kind::untrusted)
      warn_of_proxy();
    if (counts_for(nullptr))
      refuse(guard_of(to).refuse_unidentified(why));
  }
  void admit(protocol::mcp_request&& to, protocol::caller who) {
    if (!counts_for(who))
      return;
    if (auto why = who ? guard_of(to).refuse(*who) : std::nullopt)
      return refuse(*why);
    if (who && setup_->callers->is_enabled())
      keep_token(who);
    caller_ = std::move(who);
    is_local_ = protocol::is_of_this_machine(request(), to.fields);
    account_.came_from(caller_);
    auto parsed = protocol::parse_request(request(), std::move(to));
    std::visit([this](auto& one) { handle(one); }, parsed);
  }
  void keep_token(const protocol::caller& who) {
    auto credentials = protocol::read_credentials(request());
    if (auto* shown = std::get_if<protocol::bearer>(&credentials))
      setup_->callers->put(who, shown->secret, at_.now());
  }
  /// Refuses a request beyond its caller's rate limit; true if it may continue. Checked early, so that a refused
  /// request costs little.
  bool counts_for(const protocol::caller& who) {
    counted_as_ = setup_->limiter->caller_key(request(), who);
    return !is_refused(setup_->limiter->request(counted_as_, at_.now()));
  }
  protocol::endpoint_guard guard_of(const protocol::mcp_request& to) {
    endpoint_path_ = protocol::endpoint_path(to.at);
    return guard(endpoint_path_);
  }
  /// `endpoint_path` is needed for answers that name the endpoint.
  protocol::endpoint_guard guard(std::string_view endpoint_path = {}) {
    return {setup_->endpoint_guard, request(), endpoint_path};
  }

  // -- requests answered at once
  void handle(protocol::rejection& refused) { refuse(refused); }
  void handle(protocol::health_request&) { answer(protocol::health_response(true)); }
  void handle(protocol::preflight_request&) { answer(protocol::preflight_response(request())); }
  void handle(protocol::metadata_request& about) { answer_as_it_is(guard(about.endpoint).metadata()); }
  void handle(protocol::issuer_request&) {
    auto text = setup_->issuer_text->with([](auto& known) { return known; });
    answer_as_it_is(guard().issuer(text));
  }
  void handle(protocol::mcp_request&) {} // handled by `admit`
  // -- requests answered by other actors
  void handle(protocol::readiness_request&) {
    if_abandoned(unready);
    caf::anon_send(setup_->registry, readiness_probe{protocol::sender_of(request()), make_broker()});
  }
  void handle(protocol::state_request&) {
    if_abandoned(stopping_response);
    caf::anon_send(setup_->registry, state_probe{make_broker()});
  }
  void handle(protocol::post_request& request) {
    trace(request.body);
    account_.asks(request.session, request.body.messages.front());
    if (is_over_limit(request.body) || (request.session.empty() && is_over_limit_of_sessions()))
      return;
    const auto begins = request.session.empty();
    expect(begins);
    pass_on(client_post{.head = head_of(request),
                        .body = std::move(request.body),
                        .broker = {},
                        .unit = at_.number(),
                        .request_id = begins ? account_.request_id() : std::string{}});
  }
  void handle(protocol::stateless_post& wanted) {
    protocol::post_body body{{std::move(wanted.request)}};
    trace(body);
    auto lease = protocol::lease_of_retry(body.messages.front());
    account_.asks(lease, body.messages.front());
    if (is_over_limit(body))
      return;
    if_abandoned(lease_gone);
    client_post msg{.head = head_to(std::move(wanted.server), std::move(lease), transport::stateless),
                    .body = std::move(body),
                    .broker = {},
                    .unit = at_.number(),
                    .envelope = {},
                    .request_id = account_.request_id()};
    auto to = lease_for(msg.head, wanted.envelope);
    msg.envelope = std::make_shared<const protocol::request_envelope>(std::move(wanted.envelope));
    pass_on(std::move(msg), to);
  }
  void handle(protocol::dropped_notification&) { answer(protocol::accepted_response()); }
  void handle(protocol::stream_request& request) {
    account_.asks_of(request.session);
    expect(false);
    pass_on(client_listen{.head = head_of(request), .last = std::move(request.last), .broker = {}});
  }
  void handle(protocol::delete_request& request) {
    account_.asks_of(request.session);
    expect(false);
    pass_on(client_delete{.head = head_of(request), .broker = {}});
  }
  void handle(protocol::sse_request& request) {
    if (is_over_limit_of_sessions())
      return;
    expect(true);
    client_listen msg{.head = head_to(std::move(request.server), {}, transport::http_sse),
                      .last = {},
                      .broker = {},
                      .unit = at_.number(),
                      .request_id = account_.request_id(),
                      .prefix = guard().prefix()};
    pass_on(std::move(msg), session_actor{});
  }
  void handle(protocol::sse_post_request& request) {
    trace(request.body);
    account_.asks(request.session, request.body.messages.front());
    if (is_over_limit(request.body))
      return;
    expect(false);
    pass_on(client_post{.head = head_of(request, transport::http_sse), .body = std::move(request.body), .broker = {}});
  }

  // -- traces
  /// Assigns each request to a trace; the access log has the trace of the first.
  void trace(protocol::post_body& body) {
    if (auto* how = at_.traces())
      for (auto& one : body.messages)
        if (protocol::is_request(one))
          trace(one, how->sampler);
  }
  void trace(protocol::message& one, const protocol::sampler& sampler) {
    auto found = protocol::trace_of(one, request(), sampler, net::quick_random_128(), is_anonymous_remote());
    account_.is_of(found.at);
    if (found.at.is_sampled) {
      std::string proxied;
      found.client = client_of(request(), setup_->proxies, proxied);
      found.version = request().field("MCP-Protocol-Version");
    }
    one.trace = std::make_shared<const protocol::request_trace>(std::move(found));
  }

  bool is_anonymous_remote() const { return !caller_ && !is_local_; }

  // -- limits
  bool is_refused(const std::optional<protocol::rejection>& why) {
    if (why)
      refuse(*why);
    return why.has_value();
  }
  bool is_over_limit_of_sessions() { return is_refused(setup_->limiter->initialize(counted_as_, at_.now())); }
  /// Refuses a call beyond its caller's limit; otherwise the call counts until its broker ends.
  bool is_over_limit(const protocol::post_body& body) {
    if (counted_as_.empty() || std::ranges::none_of(body.messages, protocol::is_request))
      return false;
    auto why = setup_->limiter->call(counted_as_, at_.now());
    is_call_ = !why;
    return is_refused(why);
  }

  // -- answering and passing on
  protocol::http_request& request() { return exchange_->request(); }
  void warn_of_proxy() {
    auto due = setup_->next_proxy_warning->load();
    if (at_.now() < due || !setup_->next_proxy_warning->compare_exchange_strong(due, at_.now() + proxy_warning_pause))
      return;
    at_.log()(log_level::warning, "requests through an untrusted proxy are refused",
              {{"advice", "trust it with --trusted-proxy (limits.trustedProxies), or require keys with --keys"},
               {"peer", std::string{request().peer}}});
  }
  void refuse(const protocol::rejection& why) {
    account_.refused(why);
    answer(protocol::rejection_response(why));
  }
  void answer(protocol::http_response what) {
    answer_as_it_is(with_cross_origin(std::move(what), request(), setup_->access));
  }
  void answer_as_it_is(protocol::http_response what) {
    account_.answered(what.status, what.body.size());
    exchange_->respond(std::move(what));
  }
  void if_abandoned(protocol::http_response (*make)()) {
    account_.set_abandoned_answer(make);
    exchange_->on_abandoned(make);
  }
  /// Sets the answer for an abandoned exchange; `begins` when a new session is to answer.
  void expect(bool begins) {
    if_abandoned(begins ? initialize_lost : setup_->is_node ? session_away : unknown_session);
  }
  http_broker_actor make_broker() {
    auto call = is_call_ ? counted_call{setup_->limiter, counted_as_, at_} : counted_call{};
    return spawn_direct<broker_state>(at_, std::move(exchange_), setup_, std::move(account_), std::move(call),
                                      setup_->authenticator ? caller_ : nullptr);
  }
  request_head head_to(std::string server, std::string session, transport via) {
    return {.server = std::move(server),
            .session = std::move(session),
            .via = via,
            .caller = caller_,
            .counted_as = counted_as_,
            .is_anonymous_remote = is_anonymous_remote(),
            .is_local = is_local_};
  }
  template <class Request>
  request_head head_of(Request& request, transport via = transport::streamable_http) {
    return head_to(std::move(request.server), std::move(request.session), via);
  }
  /// Sends to the session directly if a unit of this node has it; the registry knows sessions of other nodes.
  template <class Message>
  void pass_on(Message&& msg) {
    auto session = find(msg.head.session, msg.head.via, msg.head.server);
    pass_on(std::forward<Message>(msg), session);
  }
  template <class Message>
  void pass_on(Message&& msg, const session_actor& session) {
    msg.broker = make_broker();
    if (session)
      caf::anon_send(session, std::forward<Message>(msg));
    else
      caf::anon_send(setup_->registry, std::forward<Message>(msg));
  }
  /// Null when only the registry can tell, or no lease has begun.
  session_actor lease_for(const request_head& to, const protocol::request_envelope& of) {
    if (!to.session.empty())
      return find(to.session, to.via, to.server);
    if (to.is_anonymous_remote)
      return {};
    const auto owner = protocol::lease_owner(protocol::identity_of(caller_), to.is_local, of.can);
    return find(protocol::shared_lease_key(to.server, owner, of.can, of.affinity), to.via, to.server);
  }
  /// Finds a session by id, or a lease by key.
  session_actor find(session_key by, transport via, std::string_view path) {
    const auto owner = protocol::identity_of(caller_);
    if (auto here = at_.sessions().find(by, via, path, owner))
      return caf::actor_cast<session_actor>(here->who);
    auto there = at_.sessions().find_elsewhere(by, via, path, owner);
    if (!there)
      return {};
    exchange_->belongs_to(there->unit);
    return caf::actor_cast<session_actor>(there->who);
  }

  unit& at_;
  const std::shared_ptr<const broker_setup>& setup_;
  std::unique_ptr<net::exchange> exchange_;
  exchange_account account_;
  /// Caller that the request counts for; empty without limits.
  std::string counted_as_;
  /// Null for anonymous clients.
  protocol::caller caller_;
  /// Whether the request is one of this machine, see `is_of_this_machine`.
  bool is_local_ = false;
  std::string endpoint_path_;
  bool is_call_ = false;
};

} // namespace

void receive_request(unit& at, const std::shared_ptr<const broker_setup>& setup, std::unique_ptr<net::exchange> one) {
  exchange_account account{at, setup->access_log, one->request(), setup->proxies};
  request_intake{at, setup, std::move(one), std::move(account)}.read();
}

void resume_request(unit& at, const std::shared_ptr<const broker_setup>& setup, std::unique_ptr<net::exchange> one,
                    exchange_account account, const protocol::token_verdict& verdict) {
  request_intake{at, setup, std::move(one), std::move(account)}.resume(verdict);
}

protocol::http_response with_cross_origin(protocol::http_response answer, const protocol::http_request& request,
                                          const protocol::access_rules& access) {
  for (auto& field : protocol::cross_origin_fields(request, access))
    answer.fields.push_back(std::move(field));
  return answer;
}

} // namespace troupe::actors

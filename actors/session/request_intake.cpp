#include "actors/session/request_intake.hpp"

#include "actors/session/broker.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace troupe::actors {

using protocol::transport;

namespace {

/// A session that ends in the moment in which a request reaches it answers nothing more.
protocol::http_response session_gone() { return protocol::rejection_response(protocol::session_not_found()); }

/// Unless it lives on at another node: nobody here can tell.
protocol::http_response session_away() { return protocol::rejection_response(protocol::session_moves()); }

/// Where it was to begin, the gateway is stopping: elsewhere, or a moment later, it may.
protocol::http_response initialize_lost() {
  return protocol::rejection_response(protocol::unavailable("the session ended before it began"));
}

protocol::http_response stopping() { return protocol::health_response(false); }

/// One request on its way in.
class request_intake {
public:
  request_intake(unit& at, const std::shared_ptr<const broker_setup>& setup, std::unique_ptr<net::exchange> one)
      : at_{at}, setup_{setup}, exchange_{std::move(one)}, address_{setup->limiter->address_of(exchange_->request())} {}

  /// The limits come first, so that what is refused costs little.
  void read() {
    if (refuse(setup_->limiter->request(address_, at_.now())))
      return;
    auto request = protocol::parse_request(exchange_->request(), setup_->access);
    std::visit([this](auto& one) { take(one); }, request);
  }

private:
  // -- what is answered at once
  void take(protocol::rejection& refused) { answer(protocol::rejection_response(refused)); }
  void take(protocol::wants_health&) { answer(protocol::health_response(true)); }
  void take(protocol::wants_preflight&) { answer(protocol::preflight_response(exchange_->request())); }

  // -- what others answer
  void take(protocol::wants_readiness&) {
    exchange_->on_abandoned(stopping);
    caf::anon_send(setup_->registry, readiness_probe{make_broker()});
  }
  void take(protocol::wants_state&) {
    exchange_->on_abandoned(stopping);
    caf::anon_send(setup_->registry, state_probe{make_broker()});
  }
  void take(protocol::wants_post& request) {
    if (is_over_limit(request.body) || (request.session.empty() && is_over_limit_of_sessions()))
      return;
    expect(request.session.empty());
    pass_on(client_post{.server = std::move(request.server),
                        .session = std::move(request.session),
                        .body = std::move(request.body),
                        .broker = {},
                        .unit = at_.number(),
                        .address = address_},
            transport::streamable_http);
  }
  void take(protocol::wants_stream& request) {
    expect(false);
    pass_on(client_listen{std::move(request.server), std::move(request.session), std::move(request.last), {}},
            transport::streamable_http);
  }
  void take(protocol::wants_end& request) {
    expect(false);
    pass_on(client_delete{std::move(request.server), std::move(request.session), {}}, transport::streamable_http);
  }
  void take(protocol::wants_sse& request) {
    if (is_over_limit_of_sessions())
      return;
    expect(true);
    caf::anon_send(setup_->registry, client_listen{std::move(request.server),
                                                   {},
                                                   {},
                                                   make_broker(),
                                                   protocol::came_by::client,
                                                   at_.number(),
                                                   std::move(address_)});
  }
  void take(protocol::wants_sse_post& request) {
    if (is_over_limit(request.body))
      return;
    expect(false);
    pass_on(
        client_post{
            std::move(request.server), std::move(request.session), std::move(request.body), {}, transport::http_sse},
        transport::http_sse);
  }

  // -- limits
  bool refuse(const std::optional<protocol::rejection>& why) {
    if (why)
      answer(protocol::rejection_response(*why));
    return why.has_value();
  }
  bool is_over_limit_of_sessions() { return refuse(setup_->limiter->initialize(address_, at_.now())); }
  /// Refuses a call that is one too many from its address; otherwise it is counted as long as its broker lives.
  bool is_over_limit(const protocol::post_body& body) {
    if (address_.empty() || std::ranges::none_of(body.messages, protocol::is_request))
      return false;
    auto why = setup_->limiter->call(address_, at_.now());
    is_call_ = !why;
    return refuse(why);
  }

  // -- how it goes on
  void answer(protocol::http_response what) { respond(*exchange_, std::move(what), setup_->access); }
  /// An answer; `begins` when it is to be that of a new session.
  void expect(bool begins) {
    exchange_->on_abandoned(begins ? initialize_lost : setup_->is_node ? session_away : session_gone);
  }
  http_broker_actor make_broker() {
    auto call = is_call_ ? counted_call{setup_->limiter, address_, at_} : counted_call{};
    return spawn_direct<broker_state>(at_, std::move(exchange_), setup_, std::move(call));
  }
  /// A session that lives here, or on another unit, is told at once; the registry knows those of other nodes.
  template <class Message>
  void pass_on(Message msg, transport via) {
    auto session = find(msg.session, via, msg.server);
    msg.broker = make_broker();
    if (session)
      caf::anon_send(session, std::move(msg));
    else
      caf::anon_send(setup_->registry, std::move(msg));
  }
  session_actor find(std::string_view id, transport via, std::string_view path) {
    if (auto here = at_.sessions().find(id, via, path))
      return caf::actor_cast<session_actor>(here->who);
    auto there = at_.sessions().find_elsewhere(id, via, path);
    if (!there)
      return {};
    exchange_->belongs_to(there->unit);
    return caf::actor_cast<session_actor>(there->who);
  }

  unit& at_;
  const std::shared_ptr<const broker_setup>& setup_;
  std::unique_ptr<net::exchange> exchange_;
  /// Where its client is, when that is limited.
  std::string address_;
  bool is_call_ = false;
};

} // namespace

void take_request(unit& at, const std::shared_ptr<const broker_setup>& setup, std::unique_ptr<net::exchange> one) {
  request_intake{at, setup, std::move(one)}.read();
}

void respond(net::exchange& to, protocol::http_response answer, const protocol::access_rules& access) {
  to.respond(with_cross_origin(std::move(answer), to.request(), access));
}

protocol::http_response with_cross_origin(protocol::http_response answer, const protocol::http_request& request,
                                          const protocol::access_rules& access) {
  for (auto& field : protocol::cross_origin_fields(request, access))
    answer.fields.push_back(std::move(field));
  return answer;
}

} // namespace troupe::actors

#include "actors/session/broker.hpp"

#include <algorithm>

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

} // namespace

broker_state::broker_state(pinned<interface>* self, std::unique_ptr<net::exchange> exchange,
                           std::shared_ptr<const broker_setup> setup)
    : self_{self}, exchange_{std::move(exchange)}, setup_{std::move(setup)}, counted_{setup_->brokers} {}

broker_state::~broker_state() {
  if (is_call_)
    setup_->limiter->call_ended(address_, self_->at().now());
}

http_broker_actor::behavior_type broker_state::make_behavior() {
  exchange_->on_closed([self = self_->address()] {
    if (auto alive = caf::actor_cast<caf::actor>(self))
      caf::anon_send(alive, exchange_closed{});
  });
  read_request();
  return {
      [this](http_reply& msg) { finish(protocol::json_response(std::move(msg.text), msg.session)); },
      [this](http_accepted&) { finish(protocol::accepted_response()); },
      [this](http_ended&) { finish(protocol::ended_response()); },
      [this](http_rejected& msg) { finish(protocol::rejection_response(msg.why)); },
      [this](http_ready&) { finish(protocol::health_response(true)); },
      [this](sse_begin&) { begin_events(); },
      [this](sse_event& msg) { exchange_->write(std::move(msg.text)); },
      [this](sse_end&) { end_events(); },
      [this](exchange_closed&) { self_->quit(); },
  };
}

/// The limits come first, so that what is refused costs little.
void broker_state::read_request() {
  address_ = setup_->limiter->address_of(exchange_->request());
  if (refuse(setup_->limiter->request(address_, self_->at().now())))
    return;
  auto request = protocol::parse_request(exchange_->request(), setup_->access);
  std::visit([this](auto& one) { take(one); }, request);
}

bool broker_state::refuse(const std::optional<protocol::rejection>& why) {
  if (why)
    finish(protocol::rejection_response(*why));
  return why.has_value();
}

/// Refuses a call that is one too many from its address; otherwise it is counted as long as this broker lives.
bool broker_state::is_over_limit(const protocol::post_body& body) {
  if (address_.empty() || std::ranges::none_of(body.messages, protocol::is_request))
    return false;
  auto why = setup_->limiter->call(address_, self_->at().now());
  is_call_ = !why;
  return refuse(why);
}

// -- what the client wants ---------------------------------------------------------------

void broker_state::take(protocol::rejection& refused) { finish(protocol::rejection_response(refused)); }

void broker_state::take(protocol::wants_health&) { finish(protocol::health_response(true)); }

void broker_state::take(protocol::wants_preflight&) { finish(protocol::preflight_response(exchange_->request())); }

void broker_state::take(protocol::wants_readiness&) {
  exchange_->on_abandoned(stopping);
  self_->send(setup_->registry, readiness_probe{caf::actor_cast<prober_actor>(self_)});
}

void broker_state::take(protocol::wants_state&) {
  exchange_->on_abandoned(stopping);
  self_->send(setup_->registry, state_probe{handle()});
}

void broker_state::take(protocol::wants_post& request) {
  if (is_over_limit(request.body))
    return;
  if (request.session.empty() && refuse(setup_->limiter->initialize(address_, self_->at().now())))
    return;
  expect(request.session.empty());
  pass_on(client_post{std::move(request.server), std::move(request.session), std::move(request.body), handle(),
                      transport::streamable_http, protocol::came_by::client, self_->at().number(), address_},
          transport::streamable_http);
}

void broker_state::take(protocol::wants_stream& request) {
  expect(false);
  pass_on(client_listen{std::move(request.server), std::move(request.session), std::move(request.last), handle()},
          transport::streamable_http);
}

void broker_state::take(protocol::wants_end& request) {
  expect(false);
  pass_on(client_delete{std::move(request.server), std::move(request.session), handle()}, transport::streamable_http);
}

void broker_state::take(protocol::wants_sse& request) {
  if (refuse(setup_->limiter->initialize(address_, self_->at().now())))
    return;
  expect(true);
  self_->send(
      setup_->registry,
      client_listen{
          std::move(request.server), {}, {}, handle(), protocol::came_by::client, self_->at().number(), address_});
}

void broker_state::take(protocol::wants_sse_post& request) {
  if (is_over_limit(request.body))
    return;
  expect(false);
  pass_on(client_post{std::move(request.server), std::move(request.session), std::move(request.body), handle(),
                      transport::http_sse},
          transport::http_sse);
}

/// A session that lives here too is told at once; the registry knows the others.
template <class Message>
void broker_state::pass_on(Message msg, protocol::transport via) {
  auto here = self_->at().sessions().find(msg.session, via, msg.server);
  if (auto session = here ? caf::actor_cast<session_actor>(here->who) : session_actor{})
    self_->send(session, std::move(msg));
  else
    self_->send(setup_->registry, std::move(msg));
}

// -- its answer ----------------------------------------------------------------------------

void broker_state::finish(protocol::http_response answer) {
  exchange_->respond(with_cross_origin(std::move(answer)));
  self_->quit();
}

void broker_state::begin_events() { exchange_->begin_events(with_cross_origin(protocol::stream_head())); }

void broker_state::end_events() {
  exchange_->end();
  self_->quit();
}

protocol::http_response broker_state::with_cross_origin(protocol::http_response answer) {
  for (auto& field : protocol::cross_origin_fields(exchange_->request(), setup_->access))
    answer.fields.push_back(std::move(field));
  return answer;
}

/// An answer; `begins` when it is to be that of a new session.
void broker_state::expect(bool begins) {
  exchange_->on_abandoned(begins ? initialize_lost : setup_->is_node ? session_away : session_gone);
}

broker_actor broker_state::handle() { return caf::actor_cast<broker_actor>(self_); }

} // namespace troupe::actors

#include "actors/session/broker.hpp"

#include "protocol/http/path.hpp"

#include <utility>

namespace troupe::actors {

broker_state::broker_state(direct* self, std::unique_ptr<net::exchange> exchange,
                           std::shared_ptr<const broker_setup> setup, exchange_account account, counted_call call)
    : self_{self}, exchange_{std::move(exchange)}, setup_{std::move(setup)}, account_{std::move(account)},
      counted_{setup_->brokers}, call_{std::move(call)}, reminder_{self->at()} {
  exchange_->on_closed([self = self_->address()] {
    if (auto alive = caf::actor_cast<caf::actor>(self))
      caf::anon_send(alive, exchange_closed{});
  });
}

void broker_state::take(http_reply& msg) {
  account_.asks_of(msg.session);
  finish(protocol::json_response(std::move(msg.text), msg.session), msg.report);
}

void broker_state::take(const exchange_closed&) {
  account_.closed();
  self_->quit();
}

void broker_state::take(const tick&) {
  reminder_.arrived();
  keep_alive();
}

/// What it needs of the request was only known where it came in.
void broker_state::take(const http_rejected& msg) {
  account_.refused(msg.why);
  auto& request = exchange_->request();
  auto target = protocol::split_target(request.target);
  auto path = protocol::endpoint_path(setup_->access.paths.read(target.path_and_query));
  finish(protocol::rejection_response(protocol::door{setup_->door, request, path}.completed(msg.why)));
}

void broker_state::finish(protocol::http_response answer, const exchange_report& how) {
  account_.answered(answer.status, answer.body.size(), how);
  exchange_->respond(with_cross_origin(std::move(answer), exchange_->request(), setup_->access));
  self_->quit();
}

void broker_state::take(sse_begin& msg) {
  const auto head = with_cross_origin(protocol::stream_head(), exchange_->request(), setup_->access);
  if (msg.is_complete) {
    account_.answered(head.status, msg.text.size(), msg.report);
    exchange_->begin_events(head);
    return end_events(std::move(msg.text));
  }
  account_.began();
  exchange_->begin_events(head);
  silence_.emplace(setup_->keep_alive, self_->at().now());
  account_.sent(msg.text.size());
  exchange_->write(std::move(msg.text));
  keep_alive();
}

void broker_state::take(sse_end& msg) {
  account_.sent(msg.text.size());
  account_.ended(msg.report);
  end_events(std::move(msg.text));
}

void broker_state::end_events(std::string last) {
  exchange_->write(std::move(last));
  exchange_->end();
  self_->quit();
}

void broker_state::write(std::string events) {
  if (silence_)
    silence_->spoke(self_->at().now());
  account_.sent(events.size());
  exchange_->write(std::move(events));
}

void broker_state::keep_alive() {
  if (auto comment = silence_->tick(self_->at().now()))
    exchange_->write(std::move(*comment));
  reminder_.set(self_->address(), silence_->deadline());
}

} // namespace troupe::actors

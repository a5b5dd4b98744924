#include "actors/session/broker.hpp"

#include "actors/runtime/calendar.hpp"
#include "protocol/access/credentials.hpp"
#include "protocol/http/known_paths.hpp"
#include "protocol/text/sse.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace troupe::actors {

pending_exchange_state::pending_exchange_state(direct* self, std::unique_ptr<net::exchange> exchange,
                                               std::shared_ptr<const broker_setup> setup, exchange_account account)
    : self_{self}, exchange_{std::move(exchange)}, setup_{std::move(setup)}, account_{std::move(account)} {
  exchange_->on_abandoned([] { return protocol::health_response(false); });
  exchange_->on_closed([self = self_->address()] { send_if_alive(self, exchange_closed{}); });
}

void pending_exchange_state::handle(const token_checked& msg) {
  self_->quit();
  resume_request(self_->at(), setup_, std::move(exchange_), std::move(account_), msg.verdict);
}

broker_state::broker_state(direct* self, std::unique_ptr<net::exchange> exchange,
                           std::shared_ptr<const broker_setup> setup, exchange_account account, counted_call call,
                           protocol::caller caller)
    : self_{self}, exchange_{std::move(exchange)}, setup_{std::move(setup)}, account_{std::move(account)},
      counted_{setup_->brokers}, call_{std::move(call)}, caller_{std::move(caller)}, reminder_{self->at()} {
  exchange_->on_closed([self = self_->address()] { send_if_alive(self, exchange_closed{}); });
}

void broker_state::handle(http_reply& msg) {
  account_.asks_of(msg.session);
  finish(protocol::json_response(std::move(msg.text), msg.session), msg.report);
}

void broker_state::handle(const exchange_closed&) {
  account_.closed();
  self_->quit();
}

void broker_state::handle(const tick&) {
  reminder_.arrived();
  check_credentials();
  keep_alive();
}

/// Completes the rejection with data of the request, which only the broker has.
void broker_state::handle(const http_rejected& msg) {
  account_.refused(msg.why);
  auto& request = exchange_->request();
  auto target = protocol::split_target(request.target);
  auto path = protocol::endpoint_path(setup_->access.paths.read(target.path_and_query));
  auto why = protocol::endpoint_guard{setup_->endpoint_guard, request, path}.completed(msg.why);
  finish(protocol::rejection_response(protocol::located(std::move(why), target.path_and_query)));
}

void broker_state::finish(protocol::http_response answer, const exchange_report& how) {
  account_.answered(answer.status, answer.body.size(), how);
  exchange_->respond(with_cross_origin(std::move(answer), exchange_->request(), setup_->access));
  self_->quit();
}

/// Before 2025-11-25 no event comes at once: a comment does, as proxies may hold back the head until the first byte.
void broker_state::handle(sse_begin& msg) {
  const auto head = with_cross_origin(protocol::stream_head(), exchange_->request(), setup_->access);
  if (msg.is_complete) {
    account_.answered(head.status, msg.text.size(), msg.report);
    exchange_->begin_events(head);
    return end_events(std::move(msg.text));
  }
  account_.began();
  watch_credentials();
  exchange_->begin_events(head);
  silence_.emplace(setup_->keep_alive, self_->at().now());
  account_.sent(msg.text.size());
  exchange_->write(msg.text.empty() ? protocol::comment("open") : std::move(msg.text));
  check_credentials();
  keep_alive();
}

void broker_state::handle(sse_end& msg) {
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
  if (!silence_)
    return;
  if (auto comment = silence_->tick(self_->at().now()))
    exchange_->write(std::move(*comment));
  const auto look_at = credentials_ ? credentials_->watch.deadline() : protocol::time_point::max();
  reminder_.set(self_->address(), std::min(silence_->deadline(), look_at));
}

// -- the token of a stream -----------------------------------------------------------------

/// Copies the token: the request is gone once the stream has begun. Sessions are notified when keys become invalid.
void broker_state::watch_credentials() {
  if (!setup_->authenticator || !caller_ || !protocol::has_token(*caller_))
    return;
  const auto shown = protocol::read_credentials(exchange_->request());
  if (auto* one = std::get_if<protocol::bearer>(&shown))
    credentials_ = std::make_unique<opened_by>(
        opened_by{std::string{one->secret}, protocol::credential_watch{std::move(caller_), self_->at().now()}});
}

/// Looks the token up as for a request, but without the unit's cache: results of other units count here, too.
void broker_state::check_credentials() {
  const auto now = self_->at().now();
  if (!credentials_ || now < credentials_->watch.deadline())
    return;
  auto& watch = credentials_->watch;
  const auto found = setup_->credentials->look_up(credentials_->secret, now);
  if (auto* who = std::get_if<protocol::caller>(&found.what))
    act_on(watch.is_known(*who, found.until, now));
  else if (std::holds_alternative<std::string>(found.what))
    act_on(protocol::credential_watch::next::end);
  else
    act_on(watch.is_not_known(now, calendar_now()));
}

void broker_state::handle(const token_checked& msg) {
  if (!credentials_)
    return;
  act_on(credentials_->watch.verdict_received(msg.verdict, self_->at().now()));
  keep_alive();
}

/// Ends the stream as if its connection had ended: the session keeps events, to be resumed with other credentials.
void broker_state::act_on(protocol::credential_watch::next what) {
  using next = protocol::credential_watch::next;
  if (what == next::ask) {
    const auto here = caf::actor_cast<http_broker_actor>(self_->address());
    caf::anon_send(setup_->authenticator, token_presented{credentials_->secret, here});
  } else if (what == next::end) {
    account_.ended({.error = "credentials_ended"});
    credentials_.reset();
    silence_.reset();
    end_events({});
  }
}

} // namespace troupe::actors

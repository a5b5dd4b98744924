#include "tests/simulation/exchange.hpp"

#include "protocol/text/number.hpp"

#include <algorithm>

namespace troupe::tests::simulation {

namespace {

/// A refusal with status 200 is an answer: a JSON-RPC error.
received refusal_of(rejection why) {
  auto field = std::ranges::find(why.headers, "Retry-After", &header_fields::value_type::first);
  auto pause = field == why.headers.end() ? 0 : read_number(field->second).value_or(0);
  auto text = why.status == 200 ? error_text(why.id, why.code, why.text) : std::move(why.text);
  return {received::kind::answer, why.status, std::move(text), {}, std::chrono::seconds{pause}};
}

} // namespace

void broker::watch(std::weak_ptr<actor> who, std::function<void()> then) {
  if (!has_ended())
    return static_cast<void>(watchers_.emplace_back(std::move(who), std::move(then)));
  if (auto alive = who.lock())
    alive->post(std::move(then));
}

void broker::unwatch(const actor* who) {
  std::erase_if(watchers_, [who](auto& one) {
    auto alive = one.first.lock();
    return !alive || alive.get() == who;
  });
}

/// Tells the watchers: no actor is left that could answer.
broker::~broker() {
  if (!has_ended())
    broker::ended();
}

void broker::ended() {
  for (auto& [who, then] : std::exchange(watchers_, {}))
    if (auto alive = who.lock())
      alive->post(std::move(then));
}

// -- connections -----------------------------------------------------------------------------

void connection::hang_up() {
  if (std::exchange(is_over_, true))
    return;
  client_ = nullptr;
  tell_closed();
}

void connection::tell_closed() {
  time_.after(time_.luck().between(100us, 2ms), [self = shared_from_this()] {
    if (auto one = self->broker_.lock())
      one->post(self->closed_);
  });
}

void connection::attach(const std::shared_ptr<broker>& one, std::function<void()> closed) {
  broker_ = one;
  closed_ = std::move(closed);
  if (is_over_)
    one->post(closed_);
}

void connection::send(received what) {
  last_arrival_ = std::max(last_arrival_ + span_of_time{1}, time_.now() + time_.luck().between(50us, 2ms));
  time_.at(last_arrival_, [self = shared_from_this(), what = std::move(what)]() mutable { self->deliver(what); });
}

void connection::deliver(received& what) {
  if (is_over_ || is_dropped_)
    return;
  if (reads_)
    take(what);
  else
    keep(std::move(what));
}

void connection::keep(received what) {
  if (unread_.empty())
    limit_time();
  unread_bytes_ += what.text.size();
  unread_.push_back(std::move(what));
  if (unread_bytes_ > most_unread)
    drop();
}

void connection::limit_time() {
  time_.after(read_time, [weak = weak_from_this()] {
    if (auto self = weak.lock(); self && !self->reads_ && !self->unread_.empty())
      self->drop();
  });
}

/// The bytes that wait are lost, and the node takes the client for gone.
void connection::drop() {
  if (keeps_all_ || is_over_ || std::exchange(is_dropped_, true))
    return;
  unread_.assign(1, received{});
  unread_bytes_ = 0;
  tell_closed();
}

void connection::read_on() {
  reads_ = true;
  unread_bytes_ = 0;
  auto self = shared_from_this();
  for (auto& one : std::exchange(unread_, {}))
    if (!is_over_)
      take(one);
}

void connection::take(received& what) {
  is_over_ = what.is != received::kind::begin && what.is != received::kind::events;
  auto client = is_over_ ? std::exchange(client_, nullptr) : client_;
  client(what);
}

// -- the broker of a client ------------------------------------------------------------------

client_broker::~client_broker() {
  if (has_ended() || !at().is_alive)
    return;
  auto why = begins_ ? unavailable("the session ended before it began") : session_moves();
  if (streams_)
    to_->break_off();
  else
    to_->send(refusal_of(std::move(why)));
}

void client_broker::finish(received what) {
  to_->send(std::move(what));
  quit();
}

void client_broker::handle(answer& what) {
  using kind = answer::kind;
  switch (what.is) {
  case kind::reply:
    return finish({received::kind::answer, 200, std::move(what.text), std::move(what.session)});
  case kind::accepted:
  case kind::ended:
    return finish({received::kind::answer, what.is == kind::ended ? 204 : 202});
  case kind::rejected:
    return finish(refusal_of(std::move(what.why)));
  case kind::begin:
    streams_ = true;
    return to_->send({received::kind::begin, 200, std::move(what.text)});
  case kind::event:
    return to_->send({received::kind::events, 0, std::move(what.text)});
  case kind::end:
    return finish({received::kind::end, 0, std::move(what.text)});
  case kind::lost:
    return;
  }
}

} // namespace troupe::tests::simulation

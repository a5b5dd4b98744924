#include "actors/gateway/enquiry.hpp"

#include "protocol/admin/admin_door.hpp"

#include <utility>

namespace troupe::actors {

namespace {

constexpr auto longest_silence = std::chrono::seconds{15};

} // namespace

enquiry_state::enquiry_state(direct* self, std::unique_ptr<net::exchange> exchange, std::function<bool()> is_welcome)
    : self_{self}, exchange_{std::move(exchange)}, is_welcome_{std::move(is_welcome)}, reminder_{self->at()} {
  exchange_->on_abandoned([] {
    return protocol::admin_error(
        503, "nobody was left to answer: what was asked about has just ended, or the gateway stops");
  });
  exchange_->on_closed([self = self_->address()] {
    if (auto alive = caf::actor_cast<caf::actor>(self))
      caf::anon_send(alive, exchange_closed{});
  });
}

void enquiry_state::take(http_reply& msg) {
  exchange_->respond(protocol::admin_response(200, "application/json", std::move(msg.text)));
  self_->quit();
}

void enquiry_state::take(const http_rejected& msg) {
  exchange_->respond(protocol::admin_error(msg.why));
  self_->quit();
}

void enquiry_state::take(const sse_begin&) {
  if (silence_)
    return;
  exchange_->begin_events(protocol::admin_response(200, "text/event-stream", {}));
  silence_.emplace(longest_silence, self_->at().now());
  keep_alive();
}

/// Another node may answer in a wrong order.
void enquiry_state::take(sse_event& msg) {
  if (!silence_ || turns_away())
    return;
  silence_->spoke(self_->at().now());
  exchange_->write(std::move(msg.text));
}

void enquiry_state::take(sse_end& msg) {
  if (!silence_)
    return self_->quit();
  exchange_->write(std::move(msg.text));
  exchange_->end();
  self_->quit();
}

void enquiry_state::take(const tick&) {
  reminder_.arrived();
  if (silence_ && !turns_away())
    keep_alive();
}

/// Ends the stream if its token is no longer valid.
bool enquiry_state::turns_away() {
  if (!is_welcome_ || is_welcome_())
    return false;
  silence_.reset();
  exchange_->end();
  self_->quit();
  return true;
}

/// An operator may look at a session that is silent for hours.
void enquiry_state::keep_alive() {
  if (auto comment = silence_->tick(self_->at().now()))
    exchange_->write(std::move(*comment));
  reminder_.set(self_->address(), silence_->deadline());
}

} // namespace troupe::actors

#include "actors/gateway/enquiry.hpp"

#include "protocol/admin/admin_door.hpp"

#include <utility>

namespace troupe::actors {

enquiry_state::enquiry_state(direct* self, std::unique_ptr<net::exchange> exchange)
    : self_{self}, exchange_{std::move(exchange)} {
  exchange_->on_abandoned([] { return protocol::admin_error(503, "the gateway is stopping"); });
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
  exchange_->respond(protocol::admin_error(msg.why.status, msg.why.text));
  self_->quit();
}

} // namespace troupe::actors

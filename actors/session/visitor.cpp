#include "actors/session/visitor.hpp"

#include "protocol/http/http.hpp"

#include <utility>

namespace troupe::actors {

visitor_state::visitor_state(direct* self, std::unique_ptr<net::exchange> exchange,
                             std::shared_ptr<const broker_setup> setup, exchange_account account)
    : self_{self}, exchange_{std::move(exchange)}, setup_{std::move(setup)}, account_{std::move(account)} {
  exchange_->on_abandoned([] { return protocol::health_response(false); });
  exchange_->on_closed([self = self_->address()] {
    if (auto alive = caf::actor_cast<caf::actor>(self))
      caf::anon_send(alive, exchange_closed{});
  });
}

void visitor_state::take(const token_judged& msg) {
  self_->quit();
  take_judged_request(self_->at(), setup_, std::move(exchange_), std::move(account_), msg.verdict);
}

} // namespace troupe::actors

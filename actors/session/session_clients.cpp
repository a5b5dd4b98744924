#include "actors/session/session_clients.hpp"

#include <algorithm>

namespace troupe::actors {

session_clients::client* session_clients::find(protocol::exchange_id exchange) {
  auto found = place_of(exchange);
  return found == all_.end() ? nullptr : &*found;
}

session_clients::client session_clients::take(protocol::exchange_id exchange) {
  auto found = place_of(exchange);
  if (found == all_.end())
    return {};
  auto result = std::move(*found);
  all_.erase(found);
  return result;
}

std::optional<protocol::exchange_id> session_clients::lost(const caf::actor_addr& broker) {
  auto found = std::ranges::find_if(all_, [&](auto& one) { return one.broker.address() == broker; });
  if (found == all_.end())
    return std::nullopt;
  auto result = found->exchange;
  all_.erase(found);
  return result;
}

std::size_t session_clients::unanswered() const {
  return static_cast<std::size_t>(std::ranges::count(all_, false, &client::streams));
}

session_clients::position session_clients::place_of(protocol::exchange_id exchange) {
  auto found = std::ranges::lower_bound(all_, exchange, {}, &client::exchange);
  return found != all_.end() && found->exchange == exchange ? found : all_.end();
}

} // namespace troupe::actors

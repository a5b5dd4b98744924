#include "actors/gateway/last_connections.hpp"

#include <algorithm>
#include <thread>

namespace troupe::actors {

namespace {

using std::chrono::milliseconds;

/// A node whose sessions have gone passes requests on until load balancers know, and none has come for so long; at most
/// until the limit. Who waits looks at every glance whether to hurry.
constexpr auto quiet = milliseconds{250};
constexpr auto quiet_limit = milliseconds{2000};
constexpr auto glance = milliseconds{50};

} // namespace

void end_connections(net::listener& listener, const last_connections& what) {
  const auto has_time = [&] { return what.rest() > milliseconds{}; };
  for (auto passed = milliseconds{}; passed < quiet_limit && has_time(); passed += glance) {
    if (!what.are_awaited() && listener.is_quiet(quiet))
      break;
    std::this_thread::sleep_for(std::min(what.rest(), glance));
  }
  listener.drain();
  what.on_closed();
  while (has_time() && !listener.wait_until_closed(std::min(what.rest(), glance)))
    continue;
}

} // namespace troupe::actors

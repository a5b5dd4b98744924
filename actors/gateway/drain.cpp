#include "actors/gateway/drain.hpp"

#include <algorithm>
#include <thread>

namespace troupe::actors {

namespace {

using clock = net::io_thread::clock;
using std::chrono::milliseconds;

/// A node whose sessions have gone passes requests on until load balancers know, and none has come for so long; at most
/// until the limit. Who waits looks at every glance whether to hurry.
constexpr auto quiet = milliseconds{250};
constexpr auto quiet_limit = milliseconds{2000};
constexpr auto glance = milliseconds{50};

void wait_while(const last_connections& what, const std::function<bool()>& has_to_wait) {
  while (what.rest() > milliseconds{} && has_to_wait())
    std::this_thread::sleep_for(std::min(what.rest(), glance));
}

/// A load balancer takes a node that refuses connections for dead. HAProxy then closes those that are there, too, and
/// clients repeat requests that are under way. So the node accepts connections until it has answered what had come when
/// it was quiet; clients that send requests even now do not go by what load balancers say.
void answer_watched(const net::listener& listener, const last_connections& what) {
  const auto begun = clock::now() - quiet;
  what.end_streams();
  wait_while(what, [&] { return what.probes.are_regular() && listener.is_answering_since(begun); });
}

} // namespace

void end_connections(net::listener& listener, const last_connections& what) {
  const auto latest = clock::now() + quiet_limit;
  wait_while(what, [&] { return what.probes.are_awaited() || (!listener.is_quiet(quiet) && clock::now() < latest); });
  answer_watched(listener, what);
  listener.drain();
  what.end_streams();
  while (what.rest() > milliseconds{} && !listener.wait_until_closed(std::min(what.rest(), glance)))
    continue;
}

} // namespace troupe::actors

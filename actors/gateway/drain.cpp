#include "actors/gateway/drain.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

using clock = net::io_thread::clock;
using std::chrono::milliseconds;

/// A node without sessions forwards requests until load balancers have noticed and no request came for `quiet`, up to
/// `quiet_limit`. While waiting it checks every `glance` whether to hurry.
constexpr auto quiet = milliseconds{250};
constexpr auto quiet_limit = milliseconds{2000};
constexpr auto glance = milliseconds{50};

void wait_while(const last_connections& what, const std::function<bool()>& has_to_wait) {
  while (what.rest() > milliseconds{} && has_to_wait())
    std::this_thread::sleep_for(std::min(what.rest(), glance));
}

/// Answers pending requests before the listener closes. Load balancers take a node that refuses connections for dead;
/// HAProxy then closes open connections, too, and clients repeat pending requests. Clients that still send new requests
/// do not follow load balancers and are not waited for.
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

#pragma once

#include "actors/gateway/probes_seen.hpp"
#include "net/server/listener.hpp"

#include <chrono>
#include <functional>

namespace troupe::actors {

/// What the last connections of a node are waited for with. All are called on the thread that waits.
struct last_connections {
  /// The readiness probes of load balancers.
  probes_seen& probes;
  /// How long may be waited yet; zero once there is a hurry.
  std::function<std::chrono::milliseconds()> rest;
  /// Ends the streams of clients that listen.
  std::function<void()> end_streams;
};

/// Waits until load balancers send nobody here any more, and until every connection is closed. Blocks the caller.
void end_connections(net::listener& listener, const last_connections& what);

} // namespace troupe::actors

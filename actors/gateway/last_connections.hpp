#pragma once

#include "net/guarded.hpp"
#include "net/server/listener.hpp"
#include "protocol/session/readiness_watch.hpp"

#include <chrono>
#include <functional>

namespace troupe::actors {

/// What the last connections of a node are waited for with. All are called on the thread that waits.
struct last_connections {
  /// The load balancers that ask whether the node is ready.
  net::guarded<protocol::readiness_watch>& watch;
  /// How long may be waited yet; zero once there is a hurry.
  std::function<std::chrono::milliseconds()> rest;
  /// Ends the streams of those who listen.
  std::function<void()> end_streams;
};

/// Waits until load balancers send nobody here any more, and until every connection is closed. Blocks the caller.
void end_connections(net::listener& listener, const last_connections& what);

} // namespace troupe::actors

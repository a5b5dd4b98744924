#pragma once

#include "net/server/listener.hpp"

#include <chrono>
#include <functional>

namespace troupe::actors {

/// What the last connections of a node are waited for with. All are called on the thread that waits.
struct last_connections {
  /// Whether load balancers are yet to find out that the node goes.
  std::function<bool()> are_awaited;
  /// How long may be waited yet; zero once there is a hurry.
  std::function<std::chrono::milliseconds()> rest;
  /// Called once nobody is accepted any more.
  std::function<void()> on_closed;
};

/// Waits until load balancers send nobody here any more, and until every connection is closed. Blocks the caller.
void end_connections(net::listener& listener, const last_connections& what);

} // namespace troupe::actors

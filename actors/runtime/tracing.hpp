#pragma once

#include "protocol/trace/span.hpp"

#include <functional>

namespace troupe::actors {

class unit;

/// How requests are traced, on all units of a gateway alike.
struct tracing {
  protocol::sampler sampler;
  /// A span has ended on that unit, whose thread calls.
  std::function<void(const unit& at, protocol::span&& one)> ended;
};

} // namespace troupe::actors

#pragma once

#include "net/guarded.hpp"
#include "protocol/session/gateway_drain.hpp"

#include <chrono>
#include <string>

namespace troupe::actors {

/// The readiness probes that this node has answered lately: a `protocol::readiness_watch` with a clock. Callable from
/// any thread.
class probes_seen {
public:
  void add(const std::string& who, bool is_ready) {
    watch_.with([&](auto& watch) { watch.asked(who, clock::now(), is_ready); });
  }
  bool are_regular() {
    return watch_.with([](auto& watch) { return watch.is_watched(clock::now()); });
  }
  bool are_awaited() {
    return watch_.with([](auto& watch) { return watch.is_awaited(clock::now()); });
  }

private:
  using clock = std::chrono::steady_clock;

  net::guarded<protocol::readiness_watch> watch_;
};

} // namespace troupe::actors

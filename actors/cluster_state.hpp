#pragma once

#include "protocol/time.hpp"

#include <atomic>
#include <cstdint>

namespace troupe::actors {

/// Time until which this node's tenure in the store certainly runs: no other node can take a session of this node
/// before. Readable from any thread; only the STORE changes it.
class tenure {
public:
  /// True while the tenure runs.
  bool holds(protocol::time_point now) const { return now < until(); }
  /// True if the tenure has run since that term without interruption: sessions that were this node's still are.
  bool holds(protocol::time_point now, std::uint64_t since) const {
    // In this order: a tenure that runs again has changed its term before.
    return holds(now) && term() == since;
  }
  /// Term of the tenure; changes whenever it has run out.
  std::uint64_t term() const { return term_; }
  protocol::time_point until() const { return until_; }

  /// Extends the tenure; `until` is not before its present end.
  void extend(protocol::time_point until) { until_ = until; }
  /// Ends the tenure at once.
  void end() {
    ++term_;
    until_ = protocol::time_point::min();
  }

private:
  std::atomic<protocol::time_point> until_ = protocol::time_point::min();
  std::atomic<std::uint64_t> term_ = 0;
};

/// Whether another node of the cluster takes new sessions; false at first. Set by the router, read by the registry.
class open_nodes {
public:
  void tell(bool are_there) { are_there_.store(are_there, std::memory_order_relaxed); }
  bool are_there() const { return are_there_.load(std::memory_order_relaxed); }

private:
  std::atomic<bool> are_there_ = false;
};

} // namespace troupe::actors

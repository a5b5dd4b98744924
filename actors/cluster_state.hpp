#pragma once

#include "protocol/time.hpp"

#include <atomic>
#include <cstdint>

namespace troupe::actors {

/// Until when this node's tenure in the store runs for certain: before that no other node can take a session of this
/// one. Readable from any thread; only the STORE changes it.
class tenure {
public:
  /// Whether it runs.
  bool holds(protocol::time_point now) const { return now < until(); }
  /// Whether it has run without interruption since this term: the sessions that were this node's then still are.
  bool holds(protocol::time_point now, std::uint64_t since) const {
    // In this order: who makes it run again has changed the term before.
    return holds(now) && term() == since;
  }
  /// Changes whenever it has run out.
  std::uint64_t term() const { return term_; }
  protocol::time_point until() const { return until_; }

  /// Runs on; `until` is not before the one until now.
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

/// Whether another node of the cluster takes new sessions: told by the router, read by the registry. None does until it
/// is told.
class open_nodes {
public:
  void tell(bool are_there) { are_there_.store(are_there, std::memory_order_relaxed); }
  bool are_there() const { return are_there_.load(std::memory_order_relaxed); }

private:
  std::atomic<bool> are_there_ = false;
};

} // namespace troupe::actors

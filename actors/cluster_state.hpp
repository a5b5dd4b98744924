#pragma once

#include "protocol/time.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

namespace troupe::actors {

/// Time until which this node's tenure in the store certainly runs: no other node can take a session of this node
/// before. Readable from any thread; only the STORE changes it.
///
/// Each question reads the clock: the machine may have been suspended, or the process paused, since the last message.
class tenure {
public:
  /// `clock` is called from any thread. It counts suspended time, as the store does.
  explicit tenure(std::function<protocol::time_point()> clock) : clock_{std::move(clock)} {}

  /// Current time of the clock by which the tenure is counted.
  protocol::time_point now() const { return clock_(); }
  /// True while the tenure runs.
  bool holds() const { return now() < until(); }
  /// True if the tenure has run since that term without interruption: sessions that were this node's still are.
  bool holds(std::uint64_t since) const {
    // In this order: a tenure that runs again has changed its term before.
    return holds() && term() == since;
  }
  /// True if this node still owns a session that it has owned since that term. After `move` it owns all of them for a
  /// while, and then only those that it has claimed.
  bool keeps(std::uint64_t since) const {
    return holds(since) || (holds() && is_unbroken(since) && now() < kept_until_.load());
  }
  /// True if the tenure has not run out since that term; it may have moved.
  bool is_unbroken(std::uint64_t since) const { return since >= unbroken_since_; }
  /// Term of the tenure; changes whenever it has run out or moved.
  std::uint64_t term() const { return term_; }
  protocol::time_point until() const { return until_; }

  /// Extends the tenure; `until` is not before its present end.
  void extend(protocol::time_point until) { until_ = until; }
  /// The tenure goes on in another store. This node owns its sessions until `kept_until`, and those that it claims
  /// there for longer.
  void move(protocol::time_point kept_until) {
    kept_until_ = kept_until;
    ++term_;
  }
  /// Ends the tenure at once.
  void end() {
    unbroken_since_ = ++term_;
    until_ = protocol::time_point::min();
  }

private:
  std::function<protocol::time_point()> clock_;
  std::atomic<protocol::time_point> until_ = protocol::time_point::min();
  std::atomic<std::uint64_t> term_ = 0;
  /// First term since which the tenure has not run out.
  std::atomic<std::uint64_t> unbroken_since_ = 0;
  /// Time until which this node owns sessions of unbroken earlier terms without a claim.
  std::atomic<protocol::time_point> kept_until_ = protocol::time_point::min();
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

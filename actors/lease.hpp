#pragma once

#include "protocol/time.hpp"

#include <atomic>
#include <cstdint>

namespace troupe::actors {

/// How long what the store says is ours surely is: until then no other node takes a session of this one. A fact that
/// any thread may look at; the store alone changes it.
class lease {
public:
  /// Whether it runs.
  bool holds(protocol::time_point now) const { return now < until(); }
  /// Whether it has run ever since it had this term: what was ours then still is.
  bool holds(protocol::time_point now, std::uint64_t since) const {
    // In this order: who makes it run again has changed the term before.
    return holds(now) && term() == since;
  }
  /// Changes whenever it has run out.
  std::uint64_t term() const { return term_; }
  protocol::time_point until() const { return until_; }

  /// Runs on; `until` is not before the one until now.
  void extend(protocol::time_point until) { until_ = until; }
  /// Has run out, even if it was to run longer.
  void end() {
    ++term_;
    until_ = protocol::time_point::min();
  }

private:
  std::atomic<protocol::time_point> until_ = protocol::time_point::min();
  std::atomic<std::uint64_t> term_ = 0;
};

} // namespace troupe::actors

#pragma once

#include "protocol/rate_limits.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace troupe::protocol {

/// A session that another node may take.
struct movable_session {
  /// As operators know it.
  std::uint64_t number = 0;
  /// Since when nobody uses it; nothing while somebody does.
  std::optional<time_point> idle_since = {};
  /// It is this node's for certain, so that it can be let go.
  bool is_ours = true;

  friend bool operator==(const movable_session&, const movable_session&) = default;
};

/// Which sessions leave a node that drains at a rate, and when: those that nobody uses first, the longest idle before
/// all others, then those in use, the oldest first. While no other node takes sessions, none is told to leave. One that
/// was told goes at its first moment without a call; it is told again while it is still there, as it may not have been
/// able to. Facts in, decisions out.
class paced_drain {
public:
  /// How much of the time that a late `tick` has missed counts: so many sessions leave at once, and not all that would
  /// have left meanwhile.
  static constexpr std::chrono::milliseconds longest_lag{250};
  /// Turns that are closer are taken together: to look at all sessions takes its time.
  static constexpr std::chrono::milliseconds shortest_wait{50};
  /// After how long a session that is still there is told again, and it is looked whether sessions can leave that could
  /// not.
  static constexpr std::chrono::seconds patience{1};

  paced_drain(drain_rate rate, time_point now) : rate_{rate}, from_{now} {}

  // -- facts
  void change(drain_rate rate, time_point now);
  /// Another node has a session from now on.
  void left(std::uint64_t number);
  /// The sessions that there are, and whether another node would take one. Gives those that are to leave now, by their
  /// numbers.
  std::vector<std::uint64_t> tick(std::vector<movable_session> all, bool is_taken_in, time_point now);

  // -- what follows
  /// When `tick` has something to do.
  time_point deadline() const { return deadline_; }
  /// Whether no session was there that another node may take: the node may end. That stays so.
  bool is_over() const { return is_over_; }
  const drain_rate& rate() const { return rate_; }
  /// How many have left.
  std::size_t moved() const { return moved_; }

private:
  time_point turn() const { return from_ + std::chrono::nanoseconds{rate_.each} * turns_ / rate_.sessions; }
  std::size_t take_turns(std::size_t most, time_point now);

  drain_rate rate_;
  /// Turns are counted from here, one after the other, so that none is late because the one before was.
  time_point from_;
  std::uint32_t turns_ = 0;
  /// Those that were told to leave, and when.
  std::map<std::uint64_t, time_point> told_;
  std::size_t moved_ = 0;
  bool is_over_ = false;
  time_point deadline_ = time_point::min();
};

} // namespace troupe::protocol

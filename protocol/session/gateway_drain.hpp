#pragma once

#include "protocol/rate_limits.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
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

/// Load balancers ask again and again whether a node is ready. A node that stops stays until it has told each of them
/// that it is not: they would send it requests in the moment in which it is gone. It answers them until it has answered
/// all else: one that cannot be reached any more is dead to them, and they may close the connections that it answers
/// on.
class readiness_watch {
public:
  /// A load balancer that asks less often is not waited for. A probe may be late by the leeway.
  static constexpr std::chrono::milliseconds longest_pause{3000}, leeway{250};
  /// Beyond that, the load balancer is forgotten that has not asked for the longest time.
  static constexpr std::size_t most_askers = 16;

  /// `who` tells one load balancer from another, see `sender_of`.
  void asked(const std::string& who, time_point now, bool is_ready);
  /// Whether somebody asks again and again.
  bool is_watched(time_point now) const;
  /// Whether somebody is about to ask who has not heard that the node is not ready.
  bool is_awaited(time_point now) const;

private:
  struct asker {
    time_point last = {};
    bool was_ready = false;
    /// Nothing when it has asked once.
    std::optional<time_point> before = {};
  };

  std::map<std::string, asker> askers_;
};

/// How a gateway stops. Where there are no other nodes, its sessions end as soon as their calls have. Where there are,
/// these take the new sessions, and each of those that a store keeps at its first idle moment. Those that cannot move
/// are served on until the grace is nearly over; then they end as soon as their calls have. A node may be closed to new
/// sessions before that, while sessions leave it at a rate (`paced_drain`), and be opened again until it stops.
class gateway_drain {
public:
  /// What becomes of the sessions that there are.
  enum class sessions {
    stay,
    /// Those that are kept go to other nodes, and clients that listen to any.
    move,
    /// Those end that do not move.
    end
  };

  /// There are other nodes.
  void join_cluster() { has_other_nodes_ = true; }
  /// It takes no new sessions, and may stay; it takes them again after all.
  void close() { is_closed_ = true; }
  void open() { is_closed_ = false; }
  /// The gateway is told to stop, perhaps not for the first time. `at_once` ends the grace.
  sessions begin(bool at_once);

  /// The grace is nearly over.
  sessions late() const { return has_begun_ ? sessions::end : sessions::stay; }

  bool has_begun() const { return has_begun_; }
  bool takes_new() const { return !has_begun_ && !is_closed_; }
  /// Whether the grace is over.
  bool is_hurried() const { return is_hurried_; }
  /// Whether sessions that are kept go to other nodes.
  bool moves() const { return has_begun_ && has_other_nodes_; }
  /// Whether another node is to take what would begin a session here. What another node has sent is not sent on.
  bool sends_on(bool is_relayed) const { return !takes_new() && has_other_nodes_ && !is_relayed; }

private:
  bool has_other_nodes_ = false;
  bool is_closed_ = false;
  bool has_begun_ = false;
  bool is_hurried_ = false;
};

} // namespace troupe::protocol

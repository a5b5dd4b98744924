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

/// A session that another node may take over.
struct movable_session {
  /// Number of the session in the operator interface.
  std::uint64_t number = 0;
  /// Start of the idle time; empty while the session is in use.
  std::optional<time_point> idle_since = {};
  /// True if the session is certainly this node's, so that it can leave.
  bool is_ours = true;

  friend bool operator==(const movable_session&, const movable_session&) = default;
};

/// Schedule by which sessions leave a node that drains at a rate. Unused sessions go first, the longest idle before all
/// others; then those in use, the oldest first. None leaves while no other node takes sessions. A session leaves at its
/// first moment without a call, and is notified again while it stays. Facts in, decisions out.
class paced_drain {
public:
  /// Longest delay of a `tick` that counts: limits how many sessions leave at once after a longer one.
  static constexpr std::chrono::milliseconds longest_lag{250};
  /// Shortest time between two turns; closer ones are taken together, because listing all sessions is expensive.
  static constexpr std::chrono::milliseconds shortest_wait{50};
  /// Time after which a session that is still here is notified again, and sessions that could not leave are tried
  /// again.
  static constexpr std::chrono::seconds patience{1};

  paced_drain(drain_rate rate, time_point now) : rate_{rate}, from_{now} {}

  // -- facts
  void change(drain_rate rate, time_point now);
  /// Notes that a session has moved to another node.
  void left(std::uint64_t number);
  /// Takes all sessions, and whether another node would take one. Returns the numbers of the sessions that leave now.
  std::vector<std::uint64_t> tick(std::vector<movable_session> all, bool is_taken_in, time_point now);

  // -- results
  /// When `tick` has something to do.
  time_point deadline() const { return deadline_; }
  /// True, and stays true, once there is no session that another node may take: the node may exit.
  bool is_over() const { return is_over_; }
  const drain_rate& rate() const { return rate_; }
  /// Number of sessions that have moved.
  std::size_t moved() const { return moved_; }

private:
  time_point turn() const { return from_ + std::chrono::nanoseconds{rate_.each} * turns_ / rate_.sessions; }
  std::size_t take_turns(std::size_t most, time_point now);

  drain_rate rate_;
  /// Start for counting turns. Turns have fixed times: a late one does not delay the next.
  time_point from_;
  std::uint32_t turns_ = 0;
  /// Sessions notified to leave, and the time of the last notification.
  std::map<std::uint64_t, time_point> told_;
  std::size_t moved_ = 0;
  bool is_over_ = false;
  time_point deadline_ = time_point::min();
};

/// Monitor of the load balancers that poll a node's readiness. A stopping node stays until each of them has seen that
/// it is not ready: otherwise they would send requests to a node that is gone. It answers polls until all other
/// requests are answered: load balancers treat an unreachable node as dead, and may close the connections of pending
/// answers.
class readiness_watch {
public:
  /// Longest polling interval of a load balancer that is waited for, and the tolerance for a late poll.
  static constexpr std::chrono::milliseconds longest_pause{3000}, leeway{250};
  /// Limit of load balancers; above it the one that polled least recently is forgotten.
  static constexpr std::size_t most_askers = 16;

  /// Notes a poll. `who` identifies the load balancer, see `sender_of`.
  void asked(const std::string& who, time_point now, bool is_ready);
  /// True if a load balancer polls regularly.
  bool is_watched(time_point now) const;
  /// True if a load balancer is about to poll that has not seen yet that the node is not ready.
  bool is_awaited(time_point now) const;

private:
  struct requester {
    time_point last = {};
    bool was_ready = false;
    /// Time of the poll before the last; empty after the first poll.
    std::optional<time_point> before = {};
  };

  std::map<std::string, requester> requesters_;
};

/// Shutdown of a gateway. Without other nodes, sessions end as soon as their calls have. With other nodes, those take
/// the new sessions, and each stored session at its first idle moment. Sessions that cannot move are served until the
/// grace period is nearly over, and then end as soon as their calls have. Before a shutdown a node may be closed to new
/// sessions, lose sessions at a rate (`paced_drain`), and be opened again.
class gateway_drain {
public:
  /// Action for the existing sessions.
  enum class sessions {
    stay,
    /// Stored sessions move to other nodes, and listening clients to any node.
    move,
    /// Sessions that do not move end.
    end
  };

  /// The gateway has other nodes.
  void join_cluster() { has_other_nodes_ = true; }
  /// Refuses new sessions, or takes them again, without a shutdown.
  void close() { is_closed_ = true; }
  void open() { is_closed_ = false; }
  /// Begins a shutdown; may be called again. `at_once` ends the grace period.
  sessions begin(bool at_once);

  /// Action when the grace period is nearly over.
  sessions late() const { return has_begun_ ? sessions::end : sessions::stay; }

  bool has_begun() const { return has_begun_; }
  bool takes_new() const { return !has_begun_ && !is_closed_; }
  /// True if the grace period is over.
  bool is_hurried() const { return is_hurried_; }
  /// True if stored sessions move to other nodes.
  bool moves() const { return has_begun_ && has_other_nodes_; }
  /// True if another node is to take a request that begins a session. A request relayed by another node stays here.
  bool sends_on(bool is_relayed) const { return !takes_new() && has_other_nodes_ && !is_relayed; }

private:
  bool has_other_nodes_ = false;
  bool is_closed_ = false;
  bool has_begun_ = false;
  bool is_hurried_ = false;
};

} // namespace troupe::protocol

#pragma once

namespace troupe::protocol {

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

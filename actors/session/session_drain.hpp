#pragma once

#include "actors/session/admission_queue.hpp"
#include "actors/session/registry_parts.hpp"
#include "actors/session/session_ownership.hpp"
#include "protocol/admin/admin_command.hpp"
#include "protocol/delivery/effects.hpp"
#include "protocol/metrics/metric.hpp"
#include "protocol/session/gateway_drain.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace troupe::actors {

/// End of a gateway: at once, or after its sessions have left for other nodes at a rate. Ends the registry once nothing
/// is left to wait for.
class session_drain {
public:
  /// The references outlive it.
  session_drain(registry_parts& parts, session_ownership& ownership, const admission_queue& queue);
  /// The node takes no new sessions any more, however the registry has ended.
  ~session_drain() { note_own_end(true); }
  session_drain(const session_drain&) = delete;
  session_drain& operator=(const session_drain&) = delete;

  void begin(const drain& msg);
  /// Answers whether this node takes new sessions.
  void probe(readiness_probe& msg);
  /// Ends the registry if it drains, and no session and no request is left to wait for.
  void end_when_drained();
  /// Ends the router, after all messages that other nodes have sent.
  void end_router();

  // -- at a rate
  void answer(const protocol::drain_gateway& what, const broker_actor& to);
  void answer(const protocol::undrain_gateway& what, const broker_actor& to);
  /// Lets the next sessions leave that are due.
  void move_due_sessions();
  /// Takes the time that `move_due_sessions` was waiting for.
  void on_timer() {
    reminder_.arrived();
    move_due_sessions();
  }
  /// A session has left for another node.
  void left(std::uint64_t number) {
    if (pace_)
      pace_->left(number);
  }
  bool is_paced() const { return pace_.has_value(); }
  /// Progress of sessions that leave at a rate; only if they do.
  protocol::live_node::leaving progress() const;

  /// True if there is no session or lease, and none awaits the host's consent.
  bool is_unused() const { return parts_.book.is_empty() && queue_.is_empty(); }

private:
  void close_sessions(const protocol::session_closing& how);
  void note_own_end(bool is_so);
  std::optional<protocol::rejection> refuse_rate() const;
  void begin_at(const protocol::drain_rate& rate, const broker_actor& to);
  void open_node(bool is_so);
  std::vector<protocol::movable_session> movable_sessions() const;

  registry_parts& parts_;
  session_ownership& ownership_;
  const admission_queue& queue_;
  /// Whether a notice that no more requests come is expected, and whether it has arrived.
  bool awaits_last_;
  bool is_last_ = false;
  /// Metric of a node that is not ready because it ends; null without metrics.
  protocol::metric_number* own_end_;
  bool is_end_noted_ = false;
  /// Set while sessions leave at a rate and the node may still stay.
  std::optional<protocol::paced_drain> pace_;
  protocol::metric_share to_move_;
  reminder reminder_;
};

} // namespace troupe::actors

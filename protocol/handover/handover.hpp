#pragma once

#include <string>
#include <vector>

namespace troupe::protocol {

/// Fact about the other process of a handover.
enum class peer_fact {
  alive,
  leaves,
  /// The link is closed at the other end.
  closed,
  /// No sign of life came for long, see `process_watch`.
  silent,
  /// The time that the older process keeps its sessions is over; sent again when their calls had time to finish.
  late
};

/// Effect of a handover on the older process.
enum class handover_effect {
  /// Confirm the handover to the newer process, which begins to accept clients.
  confirm,
  /// Close the listening sockets that are kept for the end of the newer process.
  close_sockets,
  /// Report that the newer process is gone, or hangs: this one can accept clients again.
  report_closed,
  report_silent,
  /// Close the sessions: each ends as soon as its calls have.
  close_sessions,
  /// Cut off the calls in flight.
  hurry,
  /// Report that this process is no longer needed.
  end
};
using handover_effects = std::vector<handover_effect>;

/// Handover of a gateway between an older and a newer process: decides which of them accepts clients, and how long the
/// older is needed. A process may be the newer one first, and the older one after the other has ended. Facts in,
/// effects out.
class handover {
public:
  /// Reason why this process cannot hand over now; empty if it can.
  std::string why_not() const;

  // -- facts
  /// The older process has handed over to this one, the newer.
  void take_over() { awaits_other_ = true; }
  /// Takes the role of the older process, as the newer is ready. `can_take_back`: both give signs, and the host of this
  /// process can accept clients again.
  void hand_over(bool can_take_back);
  /// The registry has sessions, and knows of the other process.
  handover_effects use(bool has_sessions, bool has_other);
  handover_effects take(peer_fact what);
  /// The host accepts clients again. False if the newer process is not gone.
  bool take_back();

  /// True if signs may be sent: the other process reads them.
  bool is_confirmed() const { return stage_ == stage::serving || is_confirmed_; }
  bool has_handed_over() const { return stage_ != stage::serving; }

private:
  enum class stage { serving, handed_over, lost, over };

  handover_effects lose(handover_effect report);
  handover_effects late();
  handover_effects end();
  handover_effects end_if_unused();

  stage stage_ = stage::serving;
  bool has_sessions_ = false;
  bool has_other_ = false;
  /// True until the registry knows of the older process.
  bool awaits_other_ = false;
  // About the newer process.
  bool can_take_back_ = false;
  bool is_confirmed_ = false;
  bool is_alive_ = false;
  bool leaves_ = false;
  /// True while sessions end because their time is over.
  bool closes_ = false;
};

} // namespace troupe::protocol

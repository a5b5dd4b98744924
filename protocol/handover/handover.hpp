#pragma once

#include "protocol/time.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Sign that one process of a handover gives the other on their link, besides requests and answers.
enum class peer_sign {
  /// The process serves. Sent every `process_watch::interval`: silence means that the process hangs.
  alive,
  /// The process stops, or has given up the other one: the end of the link is no failure.
  leaves
};

/// Frame of a sign; it differs from all frames of requests and answers.
std::string sign_frame(peer_sign which);
std::optional<peer_sign> read_sign(std::string_view frame);

/// Name on the card of a process that sends signs. Release 1.0.0 has the name `process`, and cannot read signs.
constexpr std::string_view signing_process = "process with signs of life";

/// Watch on the signs of another process. Silence counts only while this process runs: a pause of the whole machine is
/// no failure of the other process.
class process_watch {
public:
  /// Pause between two signs.
  static constexpr std::chrono::milliseconds interval{500};
  /// Silence after which the other process hangs, as between nodes.
  static constexpr std::chrono::milliseconds limit{5000};

  explicit process_watch(time_point now) : last_{now} {}

  void heard() { silence_ = {}; }
  /// True if the other process hangs. The next sign of this process is due, too.
  bool tick(time_point now);
  time_point due() const { return last_ + interval; }

private:
  time_point last_;
  std::chrono::nanoseconds silence_{};
};

/// Fact about the other process of a handover.
enum class peer_fact {
  alive,
  leaves,
  /// The link is closed at the other end.
  closed,
  /// No sign of life came for long, see `process_watch`.
  silent,
  /// The time that the older process keeps its sessions is over.
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
};

} // namespace troupe::protocol

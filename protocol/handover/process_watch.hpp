#pragma once

#include "protocol/time.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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
/// no failure of the other process. A process that stops does not give up the other one before its own sessions have
/// ended: if the other one wakes up, it can still reach them.
class process_watch {
public:
  /// Pause between two signs.
  static constexpr std::chrono::milliseconds interval{500};
  /// Silence after which the other process hangs, as between nodes.
  static constexpr std::chrono::milliseconds limit{5000};

  explicit process_watch(time_point now) : last_{now} {}

  void heard() { silence_ = {}; }
  /// Notes that this process stops, or gives up the other one. True if the other one is to be notified.
  bool sign_off() { return !std::exchange(has_signed_off_, true); }
  /// Notes that no session is left in this process.
  void sessions_ended() { has_sessions_ = false; }
  /// True if the other process hangs and is to be given up. The next sign of this process is due, too.
  bool tick(time_point now);
  time_point due() const { return last_ + interval; }

private:
  time_point last_;
  std::chrono::nanoseconds silence_{};
  bool has_signed_off_ = false;
  bool has_sessions_ = true;
};

} // namespace troupe::protocol

#pragma once

#include "protocol/delivery/effects.hpp"
#include "protocol/time.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace troupe::protocol {

/// Time limits and sizes of a session. The defaults are the gateway's.
struct session_limits {
  /// Time without a request, a call in flight or an open stream after which a session ends.
  std::chrono::milliseconds idle = std::chrono::minutes{30};
  /// Like `idle`, for a session whose client has lost its stream; `idle` if that is shorter.
  std::chrono::milliseconds abandoned = std::chrono::minutes{5};
  /// Time without an answer or progress after which a call fails; it fails in any case after `request_cap`.
  std::chrono::milliseconds request = std::chrono::minutes{5};
  std::chrono::milliseconds request_cap = std::chrono::minutes{30};
  /// Time from the beginning to `initialize`, and from there to its answer.
  std::chrono::milliseconds initialize = std::chrono::seconds{30};
  /// Time after which a server's question to the client fails; a person may have to answer it.
  std::chrono::milliseconds question = std::chrono::minutes{10};
  /// Limits of calls in flight, and of the server's questions in flight.
  std::size_t calls = 1000;
  std::size_t questions = 256;
  /// Limit of the server's messages that wait until the client is initialized, and of their bytes. Also for the
  /// client's messages that wait for the answer to `initialize`.
  std::size_t held = 64;
  std::size_t held_bytes = 1024 * 1024;
  /// Limit of client requests that wait while the session is restored, and of their bytes.
  std::size_t waiting = 64;
  std::size_t waiting_bytes = 8 * 1024 * 1024;

  /// Returns the limits for a server whose calls may take `time` without progress, even if that exceeds the cap.
  session_limits with_request(std::chrono::milliseconds time) const {
    auto result = *this;
    result.request = time;
    result.request_cap = std::max(request_cap, time);
    return result;
  }
};

/// Lifetime of a session: until it has been idle for too long, until its gateway or server stops, until it is ended
/// explicitly, or until another node may have it.
class session_lifetime {
public:
  explicit session_lifetime(time_point now) : begun_{now}, touched_{now} {}

  /// Use of a session at a moment.
  struct use {
    /// No `initialize` yet.
    bool is_fresh = false;
    /// A call is in flight, or a client listens.
    bool is_busy = false;
  };

  /// Notes a use of the session: its idle time starts again.
  void touch(time_point now) { touched_ = now; }
  time_point touched() const { return touched_; }
  /// Notes a request of the client, which proves that the client is there.
  void note_use(time_point now) {
    touch(now);
    is_abandoned_ = false;
  }
  /// The client has lost its last stream: unless it returns, it may be gone for good.
  void abandon() { is_abandoned_ = true; }
  /// Lets nothing new begin.
  void close(const session_closing& how, time_point now);
  /// Why nothing new may begin; empty while it may.
  const std::optional<std::string>& closing() const { return closing_; }
  /// True once the grace of a session that closes is over.
  bool is_late(time_point now) const { return now >= closes_by_; }
  bool is_for_good() const { return for_good_; }
  /// The session is to move to another node, once no call is in flight.
  void depart() { departs_ = true; }
  bool departs() const { return departs_; }
  /// The session takes nothing more at this node: another node may have it.
  void let_go() { has_let_go_ = true; }
  bool has_let_go() const { return has_let_go_; }
  void end() { over_ = true; }
  bool is_over() const { return over_; }
  /// True until the session lets go or ends.
  bool is_served() const { return !over_ && !has_let_go_; }

  /// Returns why the time of the session is over; empty if it is not.
  std::optional<std::string> expired(use of, const session_limits& limits, time_point now) const;
  /// When the time of the session is over, unless it is used.
  time_point deadline(use of, const session_limits& limits) const;

private:
  std::chrono::milliseconds patience(const session_limits& limits) const;

  time_point begun_;
  time_point touched_;
  std::optional<std::string> closing_;
  /// End of the grace of a session that closes.
  time_point closes_by_ = time_point::max();
  bool for_good_ = false;
  bool departs_ = false;
  bool has_let_go_ = false;
  bool over_ = false;
  bool is_abandoned_ = false;
};

} // namespace troupe::protocol

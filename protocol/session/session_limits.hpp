#pragma once

#include "protocol/time.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace troupe::protocol {

/// Time limits and sizes of a session. The defaults are those of the gateway.
struct session_limits {
  /// Ends after this long without a request, a call in flight or an open stream.
  std::chrono::milliseconds idle = std::chrono::minutes{30};
  /// The same for a session whose client had a stream open and lost it; `idle` when that is shorter.
  std::chrono::milliseconds abandoned = std::chrono::minutes{5};
  /// A call fails after this long without an answer or progress, and in any case after `request_cap`.
  std::chrono::milliseconds request = std::chrono::minutes{5};
  std::chrono::milliseconds request_cap = std::chrono::minutes{30};
  /// From the beginning to `initialize`, and from there to its answer.
  std::chrono::milliseconds initialize = std::chrono::seconds{30};
  /// A server's question to the client fails after this long: a person may have to answer it.
  std::chrono::milliseconds question = std::chrono::minutes{10};
  /// Calls in flight, and the server's questions in flight.
  std::size_t calls = 1000;
  std::size_t questions = 256;
  /// Messages of the server that wait until the client is initialized, and their bytes; also messages of the client
  /// that wait until `initialize` is answered.
  std::size_t held = 64;
  std::size_t held_bytes = 1024 * 1024;
  /// Requests of clients that wait while the session is restored, and their bytes.
  std::size_t waiting = 64;
  std::size_t waiting_bytes = 8 * 1024 * 1024;

  /// The same for a server whose calls may take so long without progress: longer than the cap for others, too.
  session_limits with_request(std::chrono::milliseconds time) const {
    auto result = *this;
    result.request = time;
    result.request_cap = std::max(request_cap, time);
    return result;
  }
};

/// How long a session lives: until nobody has used it for a while, until its gateway or its server goes, or until it
/// is told to end.
class session_lifetime {
public:
  explicit session_lifetime(time_point now) : begun_{now}, touched_{now} {}

  /// How a session is used at a moment.
  struct use {
    /// Nobody has asked for `initialize`.
    bool is_fresh = false;
    /// A call is in flight, or a client listens.
    bool is_busy = false;
  };

  /// The session is used: the time in which it may be idle begins again.
  void touch(time_point now) { touched_ = now; }
  time_point touched() const { return touched_; }
  /// Its client sent a request, and so it is there.
  void visit(time_point now) {
    touch(now);
    is_abandoned_ = false;
  }
  /// Its client had a stream open and has none any more. Unless it comes back, it is gone without a word.
  void abandon() { is_abandoned_ = true; }
  /// Nothing new may begin: `why` is told to clients. `for_good` when the session is not to go on at another node.
  void close(std::string why, bool for_good);
  /// Why nothing new may begin; nothing as long as it may.
  const std::optional<std::string>& closing() const { return closing_; }
  bool is_for_good() const { return for_good_; }
  void end() { over_ = true; }
  bool is_over() const { return over_; }

  /// Why its time is over; nothing when it is not.
  std::optional<std::string> expired(use of, const session_limits& limits, time_point now) const;
  /// When it is over, unless something happens.
  time_point deadline(use of, const session_limits& limits) const;

private:
  std::chrono::milliseconds patience(const session_limits& limits) const;

  time_point begun_;
  time_point touched_;
  std::optional<std::string> closing_;
  bool for_good_ = false;
  bool over_ = false;
  bool is_abandoned_ = false;
};

} // namespace troupe::protocol

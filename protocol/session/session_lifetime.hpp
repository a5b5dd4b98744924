#pragma once

#include "protocol/session/session_limits.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace troupe::protocol {

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

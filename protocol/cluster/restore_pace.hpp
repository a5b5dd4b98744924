#pragma once

#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <set>
#include <string>
#include <vector>

namespace troupe::protocol {

/// Rate limit for restoring sessions, each of which starts a process or queries a server. Up to `a_second` in any
/// second, first come, first served. A session that is sought counts until its outcome is known. Facts in, decisions
/// out.
class restore_pace {
public:
  /// Longest wait of a session; a request that would wait longer is refused.
  static constexpr std::chrono::seconds patience{10};
  /// When a session may be sought.
  enum class turn { now, later, never };

  explicit restore_pace(std::size_t a_second) : most_{a_second} {}

  // -- facts
  /// A session is wanted. Must not be called for one that waits or is sought already.
  turn asked(const std::string& session, time_point now);
  /// The search for a session has ended; `begins` if the session begins here.
  void found(const std::string& session, bool begins, time_point now);
  /// Returns the sessions that may be sought now, and counts them as sought.
  std::vector<std::string> due(time_point now);

  // -- results
  /// When `due` has a result, unless a search ends before.
  time_point deadline() const;
  /// Time after which a refused client may retry.
  std::chrono::seconds pause() const;

private:
  bool has_turn(time_point now);

  std::size_t most_;
  std::deque<std::string> waiting_;
  std::set<std::string> sought_;
  /// Times at which sessions began, within the last second.
  std::deque<time_point> begun_;
};

} // namespace troupe::protocol

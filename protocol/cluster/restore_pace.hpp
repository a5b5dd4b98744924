#pragma once

#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <set>
#include <string>
#include <vector>

namespace troupe::protocol {

/// How fast a node restores sessions, as each starts a process or asks a server: not more than so many in any second,
/// first come, first served. A session that is sought counts until it is known whether it begins here. Facts in,
/// decisions out.
class restore_pace {
public:
  /// How long a session waits at most; one that would wait longer is refused.
  static constexpr std::chrono::seconds patience{10};
  /// When its turn is.
  enum class turn { now, later, never };

  explicit restore_pace(std::size_t a_second) : most_{a_second} {}

  // -- facts
  /// A session is wanted; one that waits or is sought already must not be asked for again.
  turn asked(const std::string& session, time_point now);
  /// A session that was sought begins here, or it does not.
  void found(const std::string& session, bool begins, time_point now);
  /// The sessions whose turn it is: they are sought from now on.
  std::vector<std::string> due(time_point now);

  // -- what follows
  /// When `due` has something to say, unless something is found before.
  time_point deadline() const;
  /// After how long somebody who was refused may come again.
  std::chrono::seconds pause() const;

private:
  bool has_turn(time_point now);

  std::size_t most_;
  std::deque<std::string> waiting_;
  std::set<std::string> sought_;
  /// When sessions began, in the last second.
  std::deque<time_point> begun_;
};

} // namespace troupe::protocol

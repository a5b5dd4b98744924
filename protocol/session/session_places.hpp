#pragma once

#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>

namespace troupe::protocol {

/// How many sessions each caller holds, a principal or the clients at an address, and whose has to go so that another
/// may begin. The empty one stands for all who are not limited. A process that is being stopped takes the place of a
/// session, too.
class session_places {
public:
  /// A session that was used later than so long ago ends for no other.
  static constexpr std::chrono::seconds least_idle{10};
  /// Most sessions that end in a second for lack of descriptors, memory or processes: one for each start that fails.
  static constexpr std::size_t most_ended = 10;

  /// At most `most` sessions in all, and `most_each` for each caller but the empty one; 0 is no such limit.
  session_places(std::size_t most, std::size_t most_each) : most_{most}, most_each_{most_each} {}

  void take(const std::string& caller);
  void give_back(const std::string& caller);
  /// So many processes are being stopped now.
  void let_stop(std::size_t processes) { stopping_ = processes; }

  std::size_t taken() const { return taken_; }
  std::size_t held_by(const std::string& caller) const;
  bool is_full() const { return taken_ + stopping_ >= most_; }
  /// Whether no session is to end for another before more processes are gone: otherwise clients that come fast enough
  /// would heap up any number of them.
  bool must_wait() const;
  /// Whether the caller holds as many as it may.
  bool is_full_for(const std::string& caller) const;
  /// The caller that has to give up a session before another of `newcomer` begins: its own when that holds as many as
  /// it may; when all places are taken, that which holds most. Nothing when there is room.
  std::optional<std::string> who_makes_room(const std::string& newcomer) const;
  /// A server could not be begun for lack of descriptors, memory or processes. Whether a session that is idle is to end
  /// for it.
  bool ends_one_for_shortage(time_point now);

private:
  std::size_t most_;
  std::size_t most_each_;
  std::size_t taken_ = 0;
  std::size_t stopping_ = 0;
  /// Of the second that began then.
  std::size_t ended_ = 0;
  time_point second_ = {};
  std::unordered_map<std::string, std::size_t> by_caller_;
};

} // namespace troupe::protocol

#pragma once

#include "protocol/time.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>

namespace troupe::protocol {

/// How many sessions each caller holds, a principal or the clients at an address, and whose has to go so that another
/// may begin. The empty one stands for all who are not limited. A process that is being stopped takes the place of a
/// session, too. When a server could not be begun for lack of descriptors, memory or processes, there is no room for
/// more sessions than there are, for a while.
class session_places {
public:
  /// A session that was used later than so long ago ends for no other.
  static constexpr std::chrono::seconds least_idle{10};
  /// How long there is no room for more after such a shortage, unless there is another one.
  static constexpr std::chrono::seconds shortage_lasts{60};
  /// A further shortage within this time is the same one.
  static constexpr std::chrono::seconds shortage_pause{1};

  /// At most `most` sessions in all, and `most_each` for each caller but the empty one; 0 is no such limit.
  session_places(std::size_t most, std::size_t most_each) : most_{most}, most_each_{most_each} {}

  void take(const std::string& caller);
  void give_back(const std::string& caller);
  /// So many processes are being stopped now. A shortage that is long ago counts no more.
  void look(std::size_t stopping, time_point now);
  /// There is a shortage. Gives how many sessions that are idle should end at once, so that those that come now find
  /// room: one in twenty, but a few at least. None when it is the same shortage as before.
  std::size_t found_shortage(time_point now);
  bool has_shortage() const { return short_most_.has_value(); }

  std::size_t taken() const { return taken_; }
  bool is_full() const { return taken_ + stopping_ >= most(); }
  /// Whether no session is to end for another before more processes are gone: otherwise clients that come fast enough
  /// would heap up any number of them.
  bool must_wait() const;
  /// Whether the caller holds as many as it may.
  bool is_full_for(const std::string& caller) const;
  /// The caller that has to give up a session before another of `newcomer` begins: its own when that holds as many as
  /// it may; when all places are taken, that which holds most. Nothing when there is room.
  std::optional<std::string> who_makes_room(const std::string& newcomer) const;

private:
  std::size_t most() const { return std::min(most_, short_most_.value_or(most_)); }

  std::size_t most_;
  std::size_t most_each_;
  std::size_t taken_ = 0;
  std::size_t stopping_ = 0;
  /// Most sessions while there is a shortage.
  std::optional<std::size_t> short_most_;
  time_point short_since_ = {};
  std::unordered_map<std::string, std::size_t> by_caller_;
};

} // namespace troupe::protocol

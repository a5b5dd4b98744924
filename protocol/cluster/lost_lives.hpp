#pragma once

#include "protocol/cluster/node_identity.hpp"
#include "protocol/time.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

namespace troupe::protocol {

/// Lives of nodes that are not members: which of them have ended, and which may still return. A session is gone only if
/// the life that its id names has ended.
///
/// A life has ended if it is an earlier one of this node, if a later life of its node was a member, or if others know
/// of its end, see `ended`. It also counts as ended if it was not reachable for the whole `patience`, and then for the
/// `wait` that begins with the next query for it: this node itself may have been paused.
class lost_lives {
public:
  struct limits {
    /// Time for which requests wait for a life to return. Nodes dial a broken link again within this time.
    std::chrono::milliseconds wait = std::chrono::seconds{2};
    std::chrono::milliseconds patience = std::chrono::seconds{15};
    /// Patience of a cluster with that heartbeat.
    static constexpr std::chrono::milliseconds patience_with(std::chrono::milliseconds heartbeat) {
      return std::max<std::chrono::milliseconds>(3 * heartbeat, std::chrono::seconds{10});
    }
  };
  enum class state {
    ended,
    /// The life may return at once.
    awaited,
    unreachable
  };
  /// Limit of lives, and of nodes, that are remembered.
  static constexpr std::size_t most = 10'000;

  lost_lives(node_life self, limits of) : limits_{of} { joined(self); }

  // -- facts
  /// Takes the lives of all other members. Unless they are `settled`, more may follow, as after a start.
  void members(const std::set<node_life>& alive, bool settled, time_point now);
  /// A life of another node, and all lives of that node before, have ended.
  void ended(node_life which);

  // -- results
  /// State of a life that is no member. If it never was one, its times run from the first query for it.
  state of(node_life which, time_point now);
  /// End of the time for which requests wait for an `awaited` life.
  time_point awaited_until(node_life which) const { return missed_.at(which).wait_from() + limits_.wait; }

private:
  struct absence {
    time_point since;
    /// First query after the patience.
    std::optional<time_point> asked = {};
    time_point wait_from() const { return asked.value_or(since); }
  };

  void joined(node_life which);
  void outlive(node_life which);
  std::uint64_t& newest_ended(std::uint64_t node);
  absence& miss(node_life which, time_point now);

  limits limits_;
  std::set<node_life> alive_;
  /// Greatest incarnation of each node of which all up to it have ended.
  std::map<std::uint64_t, std::uint64_t> ended_;
  /// Incarnation of each node that was a member last.
  std::map<std::uint64_t, std::uint64_t> newest_;
  /// Lives that have ended although a later one has a smaller incarnation: the clock of the node went back.
  std::set<node_life> outlived_;
  /// Lives that are not reachable.
  std::map<node_life, absence> missed_;
};

} // namespace troupe::protocol

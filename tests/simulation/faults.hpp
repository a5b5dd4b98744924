#pragma once

#include "tests/simulation/scheduler.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

namespace troupe::tests::simulation {

/// Kinds of faults.
enum class fault_kind {
  break_link,
  one_way_partition,
  partition,
  pause,
  /// A machine is suspended: its steady clock stands still.
  suspend,
  kill,
  power_loss,
  slow_network,
  drift,
  break_store_line,
  store_hangs,
  store_is_emptied,
  store_goes_back,
  /// The store forgets what it has confirmed in up to half a second before.
  store_fails_over,
  store_goes_back_twice,
  /// The running store loads its data of some time ago.
  store_is_restored,
  /// A node is told to stop, and starts again.
  restart,
  /// All nodes are restarted, one after the other.
  rolling_restart,
  /// The process on the only host starts a newer one, and hands over to it.
  hand_over
};
inline constexpr std::size_t fault_kinds = 19;

std::string_view fault_text(fault_kind of);

/// Fault of a run. All times are whole milliseconds.
struct fault {
  /// Time since the begin of the run.
  span_of_time at;
  fault_kind is;
  /// Numbers of the hosts that it concerns. Only a fault between two hosts uses `other`.
  std::size_t one = 0;
  std::size_t other = 0;
  /// How long it lasts, how far the store goes back, or the grace of a stop.
  span_of_time lasts = {};
};

/// The faults of a run, in order of time. Faults can be left out: the seed decides the rest of the run as before.
using fault_plan = std::vector<fault>;

/// Draws a plan from the seed: for nodes on so many hosts, with up to two times `pause` between faults.
fault_plan plan_faults(std::uint64_t seed, std::size_t hosts, span_of_time time, const std::set<fault_kind>& kinds,
                       span_of_time pause);

} // namespace troupe::tests::simulation

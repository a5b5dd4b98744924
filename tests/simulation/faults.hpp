#pragma once

#include "tests/simulation/scheduler.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

namespace troupe::tests::simulation {

/// Kinds of faults. Each can be left out of a plan.
enum class fault_kind {
  break_link,
  one_way_partition,
  partition,
  pause,
  kill,
  power_loss,
  slow_network,
  drift,
  break_store_line,
  store_hangs,
  store_is_emptied,
  store_goes_back,
  /// Forgets what it has confirmed in its last half second.
  store_fails_over,
  store_goes_back_twice,
  /// The data of some time ago are restored in the process that runs.
  store_is_restored
};
inline constexpr std::size_t fault_kinds = 15;

std::string_view fault_text(fault_kind of);

/// Fault of a run, `at` so long after its begin. All times are whole milliseconds.
struct fault {
  span_of_time at;
  fault_kind is;
  /// Hosts that it concerns.
  std::size_t one = 0;
  std::size_t other = 0;
  /// How long it lasts, or how far the store goes back.
  span_of_time lasts = {};
};

/// The faults of a run, in order of time. A run with some of them left out is another run of the same seed.
using fault_plan = std::vector<fault>;

/// Makes a plan for nodes on so many hosts.
fault_plan plan_faults(std::uint64_t seed, std::size_t hosts, span_of_time time, const std::set<fault_kind>& kinds,
                       span_of_time pause);

} // namespace troupe::tests::simulation

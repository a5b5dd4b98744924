#pragma once

#include "tests/simulation/scale_store.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>

namespace troupe::tests::simulation {

/// Setup of a cluster to be measured.
struct scale_setup {
  std::size_t nodes = 10;
  std::chrono::milliseconds heartbeat = 5s;
  /// Number of nodes that are named to each node when it starts.
  std::size_t seeds = 3;
  session_load load = {};
  std::uint64_t seed = 1;
  /// How long the recovery of a node's sessions is watched.
  span_of_time watch = 60s;
};

/// Figures of one change of the cluster.
struct change_figures {
  /// Time until all nodes know all others; negative if they never did within a minute.
  double seconds = -1;
  /// Messages, bytes sent and processor time, of an average node.
  double messages = 0;
  double bytes = 0;
  double busy_ms = 0;
  /// Bytes received and processor time, of the node that has changed.
  double own_bytes = 0;
  double own_busy_ms = 0;
};

/// Figures of a cluster, in seconds and per second.
struct scale_figures {
  std::size_t links = 0;
  double quiet_messages = 0;
  double quiet_bytes = 0;
  double quiet_busy = 0;
  change_figures start, join, restart, kill, power_loss;
  double store_commands = 0;
  double store_bytes = 0;
  double store_busy = 0;
  recovery after_kill, after_power_loss;
};

/// Runs a cluster through its start, a quiet minute, a join, restarts and deaths.
scale_figures measure(const scale_setup& setup, std::ostream* progress = nullptr);

} // namespace troupe::tests::simulation

#pragma once

#include "tests/bench/load_figures.hpp"
#include "tests/bench/load_requests.hpp"

#include <cstddef>
#include <vector>

namespace troupe::bench {

/// The options of a load.
struct load_options {
  target to;
  /// The port for calls, if it differs from that of the sessions.
  std::uint16_t call_port = 0;
  std::size_t sessions = 1;
  double seconds = 1;
  double warmup = 0.3;
  /// Seconds between two connects; 0 for no pause.
  double pace = 0;
  /// The number of notifications that streams wait for.
  std::size_t rounds = 5;
  /// Seconds between the end of all sessions and the memory measurement. Allocators keep freed memory for a moment.
  double settle = 0;
  /// Gives each stateless client a lease of its own.
  bool apart = false;
  call_shape shape;
  std::vector<pid_t> observe;
};

} // namespace troupe::bench

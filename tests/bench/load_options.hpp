#pragma once

#include "tests/bench/load_figures.hpp"
#include "tests/bench/load_requests.hpp"

#include <cstddef>
#include <vector>

namespace troupe::bench {

/// What a load is told.
struct load_options {
  target to;
  /// Where calls go when not to where their session began.
  std::uint16_t call_port = 0;
  std::size_t sessions = 1;
  double seconds = 1;
  double warmup = 0.3;
  /// Seconds between one connect and the next; none when 0.
  double pace = 0;
  /// Notifications that streams wait for.
  std::size_t rounds = 5;
  /// Seconds between the end of all sessions and the look at the memory that is left: allocators keep what is free for
  /// a moment.
  double settle = 0;
  /// Clients without sessions have a lease each.
  bool apart = false;
  call_shape shape;
  std::vector<pid_t> observe;
};

} // namespace troupe::bench

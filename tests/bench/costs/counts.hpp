#pragma once

#include <cstddef>

namespace troupe::bench {

/// Allocations and system calls of this process so far, on all threads except the excluded ones.
struct costs {
  std::size_t allocations = 0;
  std::size_t allocated_bytes = 0;
  std::size_t system_calls = 0;
  /// Messages to actors, except those to the threads of the host.
  std::size_t messages = 0;
  /// Bytes allocated and not freed, on all threads, rounded up by the allocator.
  std::size_t held_bytes = 0;
};
costs costs_so_far();

/// Excludes the calling thread from the counts, or includes it again. Used for the test's own thread.
void leave_out_this_thread(bool whether = true);

} // namespace troupe::bench

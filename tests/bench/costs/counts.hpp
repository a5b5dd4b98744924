#pragma once

#include <cstddef>

namespace troupe::bench {

/// What this process has asked of the allocator and of the kernel so far, on all threads but those that are left out.
struct costs {
  std::size_t allocations = 0;
  std::size_t allocated_bytes = 0;
  std::size_t system_calls = 0;
  /// Messages to actors that are not the host's threads.
  std::size_t messages = 0;
  /// What the allocator has given and not got back, on all threads and with what it rounds up.
  std::size_t held_bytes = 0;
};
costs costs_so_far();

/// The thread that calls this does not count, or counts again: it is the test's own.
void leave_out_this_thread(bool whether = true);

} // namespace troupe::bench

#pragma once

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace troupe::net {

/// What this process uses of the machine.
struct process_usage {
  /// Of all processors, for the program and for the system on its behalf.
  std::chrono::microseconds cpu = {};
  std::chrono::system_clock::time_point start = {};
  std::uint64_t resident_bytes = 0;
  std::uint64_t virtual_bytes = 0;
  std::size_t descriptors = 0;
};

/// Reads it from the system; what cannot be read stays zero. Takes about a microsecond for each open descriptor.
/// Callable from any thread.
process_usage current_usage();

/// The number of this process.
int process_number();

/// How many descriptors this process may have: its soft limit (RLIMIT_NOFILE). Callable from any thread.
std::size_t descriptor_limit();

/// Whether an `errno` says that this process or machine has no descriptors, memory or processes left: that is no
/// failure of whom one wanted to reach or start, and may have passed soon.
inline bool is_shortage(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS || error == EAGAIN;
}

} // namespace troupe::net

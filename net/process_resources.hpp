#pragma once

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace troupe::net {

/// Resources that this process uses.
struct process_usage {
  /// CPU time on all processors, user and system.
  std::chrono::microseconds cpu = {};
  std::chrono::system_clock::time_point start = {};
  std::uint64_t resident_bytes = 0;
  std::uint64_t virtual_bytes = 0;
  std::size_t descriptors = 0;
};

/// Reads the usage from the system; values that cannot be read stay zero. Takes about a microsecond for each open
/// descriptor. Callable from any thread.
process_usage current_usage();

/// Returns the id of this process.
int process_number();

/// Returns the soft limit of descriptors of this process (RLIMIT_NOFILE). Callable from any thread.
std::size_t descriptor_limit();

/// Whether an `errno` says that this process or machine has no descriptors, memory or processes left. The peer or
/// program is not to blame then, and the shortage may soon pass.
inline bool is_shortage(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS || error == EAGAIN;
}

} // namespace troupe::net

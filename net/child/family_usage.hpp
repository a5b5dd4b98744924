#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sys/types.h>

namespace troupe::net {

/// Resources that a child process and its descendants use.
struct family_usage {
  std::uint64_t resident_bytes = 0;
  /// CPU time, user and system, with that of descendants that have ended.
  std::chrono::milliseconds cpu = {};
  /// Number of processes; at least 1.
  std::size_t processes = 0;
};

/// Most processes of a family that are counted.
inline constexpr std::size_t largest_family = 100;

/// Reads the usage from `/proc`; empty if the process is gone, or the system does not show it. Takes some 10
/// microseconds for each thread. Callable from any thread.
std::optional<family_usage> usage_of_family(pid_t root);

} // namespace troupe::net

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace troupe::protocol {

/// Longest request for a list, and longest notification, that is sent to all of several servers, in bytes.
inline constexpr std::size_t longest_for_all = std::size_t{128} << 10;

/// Time limits and sizes of a catalog, with the gateway's defaults.
struct catalog_limits {
  /// Longest wait for servers' parts of a list; later parts are left out.
  std::chrono::milliseconds list_patience = std::chrono::seconds{5};
  /// Longest wait of the client's `initialize` for unknown servers, and for eager ones.
  std::chrono::milliseconds greet_patience = std::chrono::seconds{2};
  std::chrono::milliseconds eager_patience = std::chrono::seconds{29};
  /// Most requests in flight: the client's, and the servers'.
  std::size_t calls = 1000;
  /// Most bytes that wait for servers to be initialised. A request counts once for each server that it waits for.
  std::size_t waiting_bytes = 16 * 1024 * 1024;
  std::size_t questions = 256;
  /// Seed of the jitter between retries, different for each catalog; 0 for none.
  std::uint64_t seed = 0;
  /// Gateway version.
  std::string version = {};
};

} // namespace troupe::protocol

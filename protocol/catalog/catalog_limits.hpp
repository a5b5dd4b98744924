#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace troupe::protocol {

/// Longest request for a list, and longest notification, that all of several servers get, in bytes.
inline constexpr std::size_t longest_for_all = std::size_t{128} << 10;

/// Time limits and sizes of a catalog. The defaults are those of the gateway.
struct catalog_limits {
  /// A list goes out without the servers that take longer.
  std::chrono::milliseconds list_patience = std::chrono::seconds{5};
  /// The answer to `initialize` waits this long for servers of which nothing is known, and this long for eager ones.
  std::chrono::milliseconds greet_patience = std::chrono::seconds{2};
  std::chrono::milliseconds eager_patience = std::chrono::seconds{29};
  /// The client's requests in flight, and the servers' requests in flight.
  std::size_t calls = 1000;
  /// What waits for servers that are not initialised yet, in bytes: a request counts once for each such server that it
  /// is for.
  std::size_t waiting_bytes = 16 * 1024 * 1024;
  std::size_t questions = 256;
  /// Of the jitter between retries, for each catalog another; 0 for none.
  std::uint64_t seed = 0;
  /// The gateway's version.
  std::string version = {};
};

} // namespace troupe::protocol

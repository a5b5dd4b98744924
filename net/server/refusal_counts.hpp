#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace troupe::net {

/// Why clients are refused before they have an exchange.
enum class refusal {
  /// There are too many connections.
  connections,
  /// There are too many connections of one address.
  connections_of_address,
  /// TLS could not be agreed upon.
  handshake,
  /// What came is no HTTP that is understood.
  unreadable,
  /// The head or the body is longer than its limit.
  too_large,
  /// The request did not arrive in time.
  too_slow
};

/// Counts them. Callable from any thread.
class refusal_counts {
public:
  void add(refusal why) { counts_[static_cast<std::size_t>(why)].fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t of(refusal why) const { return counts_[static_cast<std::size_t>(why)].load(std::memory_order_relaxed); }

private:
  std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(refusal::too_slow) + 1> counts_{};
};

} // namespace troupe::net

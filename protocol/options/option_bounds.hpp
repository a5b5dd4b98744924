#pragma once

#include <cstdint>

namespace troupe::protocol {

/// Least and greatest value of an option.
struct bounds {
  std::uint64_t least = 0;
  std::uint64_t most = 0;

  constexpr bool contain(std::uint64_t value) const { return value >= least && value <= most; }
};

// Bounds of the options of a gateway and of its limits, for the configuration file and for hosts alike. Those of a
// server are in `server_rules.hpp`, those of a cluster in `cluster_rules.hpp`. `config.schema.json` has the same.

inline constexpr bounds port_bounds{0, 65535};
inline constexpr bounds thread_bounds{1, 1024};
inline constexpr bounds body_bounds{1, std::uint64_t{1} << 30};
inline constexpr bounds session_bounds{1, 10'000'000};
inline constexpr bounds connection_bounds{0, 10'000'000};
inline constexpr bounds unsent_bounds{0, std::uint64_t{1} << 40};
/// Bytes of events, of waiting messages, and of a server's memory.
inline constexpr std::uint64_t most_bytes = std::uint64_t{1} << 50;
inline constexpr bounds stored_bounds{1, most_bytes};
inline constexpr bounds message_bounds{1024, std::uint64_t{1} << 30};
inline constexpr bounds process_bounds{1, 1'000'000};
/// Each limit of one address.
inline constexpr bounds address_bounds{0, 1'000'000};
/// Spans that may wait to be sent, and each number that OpenTelemetry's variables have.
inline constexpr bounds span_bounds{1, 1'000'000};

} // namespace troupe::protocol

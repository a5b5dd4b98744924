#pragma once

#include <cstddef>

namespace troupe::protocol {

/// Division of a process's descriptors between connections of clients and all else: servers' processes, other nodes,
/// the store, the log.
struct descriptor_shares {
  /// Number of connections of clients.
  std::size_t connections = 0;
  /// Number of sessions whose servers find descriptors, if each session takes all that it can.
  std::size_t sessions = 0;

  friend bool operator==(const descriptor_shares&, const descriptor_shares&) = default;
};

/// Descriptors that a session takes for a server that it does not share.
inline constexpr std::size_t descriptors_of_process = 4;
inline constexpr std::size_t descriptors_of_remote = 2;

/// Divides `limit` descriptors. `connections`: the configured number, or zero for half of them. `each`: number of
/// descriptors that the servers of one session take.
descriptor_shares share_descriptors(std::size_t limit, std::size_t connections, std::size_t each);

} // namespace troupe::protocol

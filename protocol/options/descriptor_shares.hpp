#pragma once

#include <cstddef>

namespace troupe::protocol {

/// How the descriptors that a process may have are shared out between clients' connections and all else: servers'
/// processes, other nodes, the store, the log.
struct descriptor_shares {
  /// Connections of clients.
  std::size_t connections = 0;
  /// Sessions whose servers find descriptors, when each session takes all that it can.
  std::size_t sessions = 0;

  friend bool operator==(const descriptor_shares&, const descriptor_shares&) = default;
};

/// What a session takes of a server that it does not share.
inline constexpr std::size_t descriptors_of_process = 4;
inline constexpr std::size_t descriptors_of_remote = 2;

/// Shares out `limit` descriptors. `connections` is what was asked for, zero when nothing was: half of them. `each` is
/// what one session's servers take.
descriptor_shares share_descriptors(std::size_t limit, std::size_t connections, std::size_t each);

} // namespace troupe::protocol

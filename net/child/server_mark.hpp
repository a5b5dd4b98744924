#pragma once

#include <cstdint>
#include <optional>
#include <sys/types.h>

namespace troupe::net {

// Mark that identifies processes of servers, whatever their parent is by then: their limit of file locks is lower than
// the gateway's. Processes inherit it, also those that a server leaves behind, and only root can raise it again. Linux
// keeps that limit (RLIMIT_LOCKS) and has done nothing with it since 2.4.25.

/// Marks the child that becomes a server's process. Makes system calls and nothing else.
void take_server_mark();

/// Returns the limit of this process. Other processes of its user can lower it, so it is read before a server starts.
std::uint64_t lock_limit();

/// Returns the limit of another process, from `/proc`; nullopt when that has exited.
std::optional<std::uint64_t> lock_limit_of(pid_t process);

} // namespace troupe::net

#pragma once

#include <cstdint>
#include <optional>
#include <sys/types.h>

namespace troupe::net {

// A mark by which processes of servers are known, whoever their parent is by then: their limit of file locks is lower
// than the gateway's. Processes inherit it, also those that a server leaves behind, and only root can raise it again.
// Linux keeps that limit (RLIMIT_LOCKS) and has done nothing with it since 2.4.25.

/// In the child that becomes a server's process. Calls the kernel and nothing else.
void take_server_mark();

/// The limit of this process. Others of its user can lower it, so it is read before there is a server.
std::uint64_t lock_limit();

/// That of another process, by `/proc`; nothing when it has ended.
std::optional<std::uint64_t> lock_limit_of(pid_t process);

} // namespace troupe::net

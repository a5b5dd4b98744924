#pragma once

#include "actors/troupe/gateway.hpp"

#include <cstddef>
#include <sys/types.h>

namespace troupe::deploy {

/// The variable by which a process is told what it takes over from another, whose process id comes first:
/// `812 clients=5 admin=6 link=7 limit=1024`, where numbers are descriptors, and how many of them processes of
/// servers begin with.
constexpr const char* handed_over_variable = "TROUPE_HANDED_OVER";

/// Starts this program once more as it was started, from where it lies now: with the same arguments and environment,
/// and with these descriptors, which stay the caller's, too; not as a child of this process. Gives its process id.
/// Throws `std::runtime_error` with one line when it cannot be started.
pid_t start_successor(const listening_sockets& sockets, int link, std::size_t server_descriptors);

} // namespace troupe::deploy

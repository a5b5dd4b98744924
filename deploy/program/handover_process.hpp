#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/program/descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <sys/types.h>

namespace troupe::deploy {

/// The variable by which a process is told what it takes over from another, whose process id comes first:
/// `812 clients=5 admin=6 link=7 environment=8 limit=1024 locks=18446744073709551615`, where numbers are descriptors,
/// how many of them processes of servers begin with, and the limit of file locks that servers have less of.
/// Release 1.0.0 tells of no descriptor for the environment, for it starts the other process with that, and of no
/// locks.
constexpr const char* handed_over_variable = "TROUPE_HANDED_OVER";
constexpr std::string_view locks_word = "locks=";

struct handover_process {
  pid_t process = 0;
  /// Where it tells that it has taken its environment, see `why_not_taken`.
  descriptor environment;
};

/// Starts this program once more as it was started, from where it lies now: with the same arguments, and with these
/// descriptors, which stay the caller's, too; not as a child of this process. It begins without the environment, which
/// servers could read, and takes it through a socket; one that does not must not take over. Throws `std::runtime_error`
/// with one line when it cannot be started.
handover_process start_handover_process(const listening_sockets& sockets, int link, std::size_t server_descriptors,
                                        std::uint64_t lock_limit);

} // namespace troupe::deploy

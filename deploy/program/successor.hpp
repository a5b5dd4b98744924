#pragma once

#include "actors/troupe/gateway.hpp"

#include <cstddef>
#include <string_view>
#include <sys/types.h>

namespace troupe::deploy {

/// The variable by which a process is told what it takes over from another, whose process id comes first:
/// `812 clients=5 admin=6 link=7 environment=8 limit=1024`, where numbers are descriptors, and how many of them
/// processes of servers begin with. Release 1.0.0 has its environment from the start, and is told of no descriptor for
/// it.
constexpr const char* handed_over_variable = "TROUPE_HANDED_OVER";

/// With this alone as its argument the program does nothing, and ends with 0: it takes its environment from the process
/// before (see `take_handed_environment`). Release 1.0.0 knows no such flag.
constexpr std::string_view takes_environment_flag = "--takes-environment";

struct started_successor {
  pid_t process = 0;
  /// Started with the environment, which others of its user can read: it is of a release that takes it no other way.
  bool is_readable = false;
};

/// Starts this program once more as it was started, from where it lies now: with the same arguments and environment,
/// and with these descriptors, which stay the caller's, too; not as a child of this process. Throws
/// `std::runtime_error` with one line when it cannot be started.
started_successor start_successor(const listening_sockets& sockets, int link, std::size_t server_descriptors);

} // namespace troupe::deploy

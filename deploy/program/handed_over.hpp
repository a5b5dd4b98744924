#pragma once

#include "deploy/program/serve.hpp"

#include <string>
#include <string_view>

namespace troupe::deploy {

// Passes a process's environment to the next program. The environment that a process starts with can be read by others
// of its user until it makes itself unreadable, so the next program starts without one.

/// Sends the environment of this process through a socket pair, as a memory file that only the reader of the other end
/// can open. Throws `std::runtime_error` with one line on failure.
void hand_environment(int socket);

/// Returns why the process at the other end has not taken the environment, for the log; empty when it has. Does not
/// wait: a process takes it before it serves.
std::string why_not_taken(int socket);

/// Takes the environment from the old process, if there is one, once this process is unreadable for others. Must run
/// before any variable is read. Throws `std::runtime_error` with one line when none arrives.
void take_handed_environment();

/// Inherited descriptors of listening sockets, and of the link to the old process; -1 is none. `limit` is the
/// descriptor limit that servers' processes start with; 0 when unknown.
struct handed_sockets {
  int clients = -1;
  int admin = -1;
  int link = -1;
  /// Socket from which the environment is read, see `take_handed_environment`.
  int environment = -1;
  int limit = 0;
  process_origin origin;
};

/// Parses LISTEN_FDS and LISTEN_FDNAMES (sd_listen_fds(3)): the socket named `admin` is for operators, any other for
/// clients. Throws `std::runtime_error` when there are too many.
handed_sockets read_handed_sockets(const std::string& count, const std::string& names);

/// Parses the value of `handed_over_variable`. Empty, and no descriptor is inherited further, unless the process that
/// the value names has made the link.
handed_sockets read_handed_over(const std::string& text);

/// True if an environment variable is for this process only, not for its children: from the old process, or from
/// systemd (sd_listen_fds(3), sd_notify(3), sd_watchdog_enabled(3)).
bool is_for_one_process(std::string_view variable);

/// Makes the gateway listen on inherited sockets, from systemd or from the old process, instead of where flags and
/// file say. Does nothing without such sockets. Throws `std::runtime_error` with one line.
void adopt_handed_sockets(serve_command& command);

} // namespace troupe::deploy

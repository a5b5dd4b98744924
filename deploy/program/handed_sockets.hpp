#pragma once

#include "deploy/program/cli.hpp"

#include <string>
#include <sys/types.h>

namespace troupe::deploy {

/// Descriptors of sockets that listen already, and of the link to the process that did so; -1 is none.
struct handed_sockets {
  int clients = -1;
  int admin = -1;
  int link = -1;
};

/// Which is which, by LISTEN_FDS and LISTEN_FDNAMES (sd_listen_fds(3)): the one with the name `admin` is for operators,
/// whatever another is called it is for clients. Throws `std::runtime_error` when there are too many.
handed_sockets read_handed_sockets(const std::string& count, const std::string& names);

/// The same of what a process hands to the next, by the form of `handed_over_variable`; nothing when that is of another
/// parent than `parent`.
handed_sockets read_handed_over(const std::string& text, pid_t parent);

/// Listens on what this process was handed when it began, by systemd for a unit with sockets, or by the process whose
/// place it takes: instead of where flags and file say. Does nothing when that is nothing. Throws `std::runtime_error`
/// with one line.
void adopt_handed_sockets(serve_command& command);

} // namespace troupe::deploy

#pragma once

#include "deploy/program/cli.hpp"

#include <string>

namespace troupe::deploy {

/// Descriptors of sockets that listen already; -1 is none.
struct handed_sockets {
  int clients = -1;
  int admin = -1;
};

/// Which is which, by LISTEN_FDS and LISTEN_FDNAMES (sd_listen_fds(3)): the one with the name `admin` is for operators,
/// whatever another is called it is for clients. Throws `std::runtime_error` when there are too many.
handed_sockets read_handed_sockets(const std::string& count, const std::string& names);

/// Listens on what this process was handed when it began, as systemd does for a unit with sockets: instead of where
/// flags and file say. Does nothing when that is nothing. Throws `std::runtime_error` with one line.
void adopt_handed_sockets(serve_command& command);

} // namespace troupe::deploy

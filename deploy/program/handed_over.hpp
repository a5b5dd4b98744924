#pragma once

#include "deploy/program/serve.hpp"

#include <string>
#include <string_view>

namespace troupe::deploy {

// How a process hands its environment to the next. What a process is started with, others of its user can read until it
// has made itself unreadable, so it starts with none.

/// Sends the environment of this process through one of a pair of sockets, as memory that only who reads the other one
/// can open. Throws `std::runtime_error` with one line when it cannot.
void hand_environment(int socket);

/// Why the process at the other end has not taken it, for the log; empty when it has. Does not wait: a process that
/// serves took its environment before.
std::string why_not_taken(int socket);

/// Takes the environment that the process before hands to this one, if it does, when nobody else can read this one any
/// more. Before anything looks at a variable. Throws `std::runtime_error` with one line when none comes.
void take_handed_environment();

/// Descriptors of sockets that listen already, and of the link to the process that did so; -1 is none. How many
/// descriptors processes of servers are to begin with; 0 when that is not told.
struct handed_sockets {
  int clients = -1;
  int admin = -1;
  int link = -1;
  /// Through it comes the environment, see `take_handed_environment`.
  int environment = -1;
  int limit = 0;
  process_origin origin;
};

/// Which is which, by LISTEN_FDS and LISTEN_FDNAMES (sd_listen_fds(3)): the one with the name `admin` is for operators,
/// whatever another is called it is for clients. Throws `std::runtime_error` when there are too many.
handed_sockets read_handed_sockets(const std::string& count, const std::string& names);

/// The same of what a process hands to the next, by the form of `handed_over_variable`. It is nothing, and goes to no
/// process that is started, unless the link was made by who says so.
handed_sockets read_handed_over(const std::string& text);

/// Whether a variable of the environment is for the process that it was given to, and for none which that one starts:
/// of the process before, or of systemd (sd_listen_fds(3), sd_notify(3), sd_watchdog_enabled(3)).
bool is_for_one_process(std::string_view variable);

/// Listens on what this process was handed when it began, by systemd for a unit with sockets, or by the process whose
/// place it takes: instead of where flags and file say. Does nothing when that is nothing. Throws `std::runtime_error`
/// with one line.
void adopt_handed_sockets(serve_command& command);

} // namespace troupe::deploy

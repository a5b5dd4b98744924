#pragma once

#include <string>

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

} // namespace troupe::deploy

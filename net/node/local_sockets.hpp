#pragma once

#include "net/owned_descriptor.hpp"

#include <string>

namespace troupe::net {

// Stream sockets within this process. None of them blocks, none is inherited by a child process.

/// One that listens under a name that nobody guesses, and another that is connected to it; none on failure.
owned_descriptor listen_locally(const std::string& name);
owned_descriptor connect_locally(const std::string& name);

/// Whether it was this process that connected: any other on the machine may try.
bool is_from_this_process(int descriptor);

} // namespace troupe::net

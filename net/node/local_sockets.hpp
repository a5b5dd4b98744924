#pragma once

#include "net/owned_descriptor.hpp"

#include <string>

namespace troupe::net {

// Stream sockets within this process. None of them blocks, none is inherited by a child process.

/// Listens under an unguessable name, or connects to it. Return no descriptor on failure.
owned_descriptor listen_locally(const std::string& name);
owned_descriptor connect_locally(const std::string& name);

/// Whether the peer is this process: any other process on the machine may try to connect.
bool is_from_this_process(int descriptor);

} // namespace troupe::net

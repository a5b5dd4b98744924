#pragma once

#include "actors/gateway.hpp"
#include "actors/server.hpp"
#include "actors/session.hpp"
#include "net/io_thread.hpp"

#include <memory>
#include <vector>

namespace troupe::actors {

// What a host wishes, as the actors want to know it.

using thread_list = std::vector<std::unique_ptr<net::io_thread>>;

/// Servers without a name are called after their program, or their host.
std::vector<server_options> named(std::vector<server_options> servers);

std::shared_ptr<const session_setup> make_session_setup(const gateway_options& options);

/// `units` are those of the threads, in order; both outlive the server.
std::shared_ptr<const server_setup> make_server_setup(const server_options& server, const gateway_options& options,
                                                      const thread_list& threads, const std::vector<unit*>& units);

} // namespace troupe::actors

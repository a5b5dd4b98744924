#pragma once

#include "protocol/text/host_port.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace troupe::net {

// A socket that listens already when this process begins, because another one has opened it. Others may go on to have
// it: what one sets on it counts for all, and one that is closed here goes on to listen there.

/// Where it listens: a numeric address, or `unix:PATH` without a port. Throws `std::runtime_error` with one line that
/// says why nobody can be accepted from it.
protocol::host_port place_of(int socket);

/// Takes it over from the caller: the acceptor closes it, and processes that are started do not get it. Throws as
/// `place_of` does; then it is the caller's.
boost::asio::ip::tcp::acceptor take_over(boost::asio::io_context& context, int socket);

} // namespace troupe::net

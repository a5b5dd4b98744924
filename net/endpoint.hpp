#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe::net {

/// The addresses of a host that need not be looked up: an address is its own, and `localhost` is this machine, whatever
/// a name server says (RFC 6761, 6.3). None for other names.
std::vector<boost::asio::ip::address> known_addresses(const std::string& host);

/// A numeric address with a port above 0, `1.2.3.4:80` or `[::1]:80`. Nothing when it is none.
std::optional<boost::asio::ip::tcp::endpoint> numeric_endpoint(const std::string& address);

/// Listens on a host's first address, which may block while a name is looked up; port 0 picks a free one. Throws
/// `std::runtime_error` with one line that says why it cannot listen.
boost::asio::ip::tcp::acceptor listen_at(boost::asio::io_context& context, const std::string& host, std::uint16_t port);

/// From now on the kernel does not hear who wants to connect, who then tries again, after 1 s at first. Handshakes that
/// have begun go on, and their connections can be accepted. Does nothing where the kernel does not offer that.
void begin_no_handshakes(boost::asio::ip::tcp::acceptor& on);

} // namespace troupe::net

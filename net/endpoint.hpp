#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe::net {

/// Returns the addresses of a host that needs no lookup: an address is its own, and `localhost` is this machine,
/// whatever a name server says (RFC 6761, 6.3). Empty for other names.
std::vector<boost::asio::ip::address> known_addresses(const std::string& host);

/// Parses a numeric address with a port above 0, `1.2.3.4:80` or `[::1]:80`; nullopt for anything else.
std::optional<boost::asio::ip::tcp::endpoint> numeric_endpoint(const std::string& address);

/// Listens on the first address of a host, which may block while a name is looked up. Port 0 picks a free one. Throws
/// `std::runtime_error` with one line that says why it cannot listen.
boost::asio::ip::tcp::acceptor listen_at(boost::asio::io_context& context, const std::string& host, std::uint16_t port);

/// Makes the kernel drop new connection attempts, which clients repeat, first after 1 s. Handshakes under way go on,
/// and their connections can be accepted. Does nothing if the kernel does not support this.
void begin_no_handshakes(boost::asio::ip::tcp::acceptor& on);

} // namespace troupe::net

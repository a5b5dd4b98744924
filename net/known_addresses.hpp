#pragma once

#include <boost/asio/ip/address.hpp>
#include <string>
#include <vector>

namespace troupe::net {

/// The addresses of a host that need not be looked up: an address is its own, and `localhost` is this machine, whatever
/// a name server says (RFC 6761, 6.3). None for other names.
std::vector<boost::asio::ip::address> known_addresses(const std::string& host);

} // namespace troupe::net

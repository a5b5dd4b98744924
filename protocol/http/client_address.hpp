#pragma once

#include "protocol/http/http.hpp"
#include "protocol/text/ip_address.hpp"

#include <string>
#include <string_view>

namespace troupe::protocol {

/// The address that a request counts for: that of its client, as `original_of` has it. As a key of 4 bytes, or of 8:
/// the network of an IPv6 host, which has all addresses of it to choose from. Empty for this machine, whose clients are
/// not limited by their address; but not when a trusted proxy passes the request on, whichever address it names.
std::string client_address(const http_request& request, const ip_networks& trusted_proxies);

/// The same, but that also those on this machine have one: what they cost others is theirs. Empty for a unix socket.
std::string source_address(const http_request& request, const ip_networks& trusted_proxies);

/// As `client_address`, of a connection alone. Also empty for a trusted proxy's, which are those of many clients.
std::string connection_address(std::string_view peer, const ip_networks& trusted_proxies);

} // namespace troupe::protocol

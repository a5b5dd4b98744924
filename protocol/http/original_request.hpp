#pragma once

#include "protocol/http/http.hpp"
#include "protocol/text/ip_address.hpp"

#include <optional>
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

/// A request as its client sent it, before proxies passed it on. The views are those of the request.
struct original_request {
  /// Nothing when it is not known, such as over a unix socket.
  std::optional<ip_address> client;
  /// What the client calls the gateway: a name or an address, perhaps with a port. May be empty.
  std::string_view host;
  /// The path behind which the client finds those of the gateway, such as `/troupe`, and which a proxy has taken away;
  /// empty when there is none.
  std::string_view prefix;
  bool is_secure = false;
};

/// What a request says, or, when it comes from a trusted proxy, what that one says: in `Forwarded` (RFC 7239), or in
/// `X-Forwarded-For`, `-Proto` and `-Host`. Proxies that know only one of the two pass the other on as the client wrote
/// it, so where both name a nearest client, and not the same, neither is believed. The prefix is in
/// `X-Forwarded-Prefix` with either of them; one that cannot be a prefix is ignored.
original_request original_of(const http_request& request, const ip_networks& trusted_proxies);

/// Whether a request bears a field by which proxies tell that they pass it on, or for whom, whether or not that is
/// read.
bool is_passed_on(const http_request& request);

} // namespace troupe::protocol

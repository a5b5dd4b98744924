#pragma once

#include "protocol/http/http.hpp"
#include "protocol/text/ip_address.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Returns the address that a request counts for: its client's, as in `original_of`. As a key of 4 bytes, or of 8 for
/// IPv6: the network, whose addresses a host can choose freely. Empty for this machine, whose clients have no limit by
/// address, except if a trusted proxy forwarded the request, with any address.
std::string client_address(const http_request& request, const ip_networks& trusted_proxies);

/// Like `client_address`, but not empty for this machine: for the attribution of costs. Empty for a unix socket.
std::string source_address(const http_request& request, const ip_networks& trusted_proxies);

/// Like `client_address`, for a connection. Also empty for a trusted proxy, whose connections carry many clients.
std::string connection_address(std::string_view peer, const ip_networks& trusted_proxies);

/// Request as its client sent it, before proxies forwarded it. The views are those of the request.
struct original_request {
  /// Address of the client; nullopt if unknown, such as over a unix socket.
  std::optional<ip_address> client;
  /// Host in the client's request: a name or an address, perhaps with a port. May be empty.
  std::string_view host;
  /// Prefix of the gateway's paths as the client sees them, such as `/troupe`, which a proxy has removed; empty if
  /// there is none.
  std::string_view prefix;
  bool is_secure = false;
};

/// Returns the request as the client sent it. A trusted proxy describes it in `Forwarded` (RFC 7239), or in
/// `X-Forwarded-For`, `-Proto` and `-Host`. Proxies that know only one of the two forward the other as the client wrote
/// it: if both name a nearest client, and differ, neither is trusted. The prefix is in `X-Forwarded-Prefix` with either
/// of them; an invalid one is ignored.
original_request original_of(const http_request& request, const ip_networks& trusted_proxies);

/// Whether proxies identify themselves or their client by a field of that name, whether or not the gateway reads it.
bool is_mark_of_proxy(std::string_view name);

} // namespace troupe::protocol

#include "protocol/http/client_address.hpp"

#include "protocol/http/original_request.hpp"

namespace troupe::protocol {

namespace {

std::string key_of(const ip_address& address) {
  const auto& bytes = address.bytes;
  return address.is_four() ? std::string{bytes.begin() + 12, bytes.end()}
                           : std::string{bytes.begin(), bytes.begin() + 8};
}

std::string limited_key(const ip_address& address) { return address.is_loopback() ? std::string{} : key_of(address); }

} // namespace

std::string connection_address(std::string_view peer, const ip_networks& trusted_proxies) {
  auto address = read_ip_address(peer);
  return address && !trusted_proxies.has(*address) ? limited_key(*address) : std::string{};
}

std::string client_address(const http_request& request, const ip_networks& trusted_proxies) {
  if (request.is_local && trusted_proxies.is_empty())
    return {}; // so it is with most requests: their address need not be read
  const auto peer = read_ip_address(request.peer);
  if (!peer)
    return {};
  const auto is_told = trusted_proxies.has(*peer) && is_passed_on(request);
  const auto client = original_of(request, trusted_proxies).client.value_or(*peer);
  return is_told ? key_of(client) : limited_key(client);
}

std::string source_address(const http_request& request, const ip_networks& trusted_proxies) {
  const auto client = original_of(request, trusted_proxies).client;
  return client ? key_of(*client) : std::string{};
}

} // namespace troupe::protocol

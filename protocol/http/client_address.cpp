#include "protocol/http/client_address.hpp"

#include "protocol/text/host_port.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace troupe::protocol {

namespace {

/// Some proxies add the port.
std::optional<ip_address> read_forwarded(std::string_view text) {
  if (auto plain = read_ip_address(without_brackets(text)))
    return plain;
  auto with_port = read_host_port(text);
  return with_port ? read_ip_address(with_port->host) : std::nullopt;
}

/// For whom the proxies ask, from the nearest on.
std::vector<std::string_view> forwarded_for(const http_request& request) {
  std::vector<std::string_view> result;
  for (const auto& field : request.fields) {
    if (!same_word(field.name, "X-Forwarded-For"))
      continue;
    for (auto rest = field.value; !rest.empty();) {
      auto comma = std::min(rest.find(','), rest.size());
      result.push_back(without_blanks(rest.substr(0, comma)));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  std::ranges::reverse(result);
  return result;
}

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
  auto nearest = read_ip_address(request.peer);
  if (!nearest)
    return {};
  if (trusted_proxies.has(*nearest))
    for (auto text : forwarded_for(request)) {
      auto next = read_forwarded(text);
      if (!next)
        break;
      nearest = next;
      if (!trusted_proxies.has(*next))
        break;
    }
  return limited_key(*nearest);
}

} // namespace troupe::protocol

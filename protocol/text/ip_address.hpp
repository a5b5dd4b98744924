#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// IPv6 address, or an IPv4 address in its IPv6-mapped form (RFC 4291, 2.5.5.2).
struct ip_address {
  std::array<unsigned char, 16> bytes = {};

  bool is_four() const;
  /// Whether the address is a loopback: 127.0.0.0/8, ::1.
  bool is_loopback() const;
  /// Whether any host on the Internet may have the address. Excludes this machine, private networks, a cloud's
  /// metadata, other special purposes (RFC 6890), and IPv6 addresses that lead to such an IPv4 address.
  bool is_public() const;

  friend bool operator==(const ip_address&, const ip_address&) = default;
};

/// Parses an IPv4 or IPv6 address, without a zone and without brackets.
std::optional<ip_address> read_ip_address(std::string_view text);

/// Formats an address for people (RFC 5952).
std::string address_text(const ip_address& one);

/// Set of addresses and networks, such as `10.0.0.0/8`.
class ip_networks {
public:
  /// Whether the text is an address or a network.
  static bool is_valid(std::string_view text);

  ip_networks() = default;
  /// Skips texts that are not valid.
  explicit ip_networks(const std::vector<std::string>& texts);

  bool is_empty() const { return networks_.empty(); }
  bool has(const ip_address& address) const;

private:
  struct network {
    ip_address first;
    std::size_t bits;
  };
  static std::optional<network> read(std::string_view text);

  std::vector<network> networks_;
};

} // namespace troupe::protocol

#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// An address of IPv6, or the one that stands for an address of IPv4 (RFC 4291, 2.5.5.2).
struct ip_address {
  std::array<unsigned char, 16> bytes = {};

  bool is_four() const;
  /// Whether it is an address by which a machine reaches itself: 127.0.0.0/8, ::1.
  bool is_loopback() const;
  /// Whether it may be anybody's on the Internet: not one of this machine, of a private network, of a cloud's metadata,
  /// or for other special purposes (RFC 6890), nor one of IPv6 that leads to such an address of IPv4.
  bool is_public() const;

  friend bool operator==(const ip_address&, const ip_address&) = default;
};

/// Parses an address of IPv4 or IPv6, without a zone and without brackets.
std::optional<ip_address> read_ip_address(std::string_view text);

/// An address as people write it (RFC 5952).
std::string address_text(const ip_address& one);

/// A set of addresses and networks, such as `10.0.0.0/8`.
class ip_networks {
public:
  /// Whether the text is an address or a network.
  static bool is_valid(std::string_view text);

  ip_networks() = default;
  /// What is not valid is left out.
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

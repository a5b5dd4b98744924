#include "protocol/text/ip_address.hpp"

#include "protocol/text/number.hpp"

#include <algorithm>
#include <boost/url/ipv4_address.hpp>
#include <boost/url/ipv6_address.hpp>

namespace troupe::protocol {

namespace {

/// Prefix of an IPv4-mapped address, before the four bytes of IPv4.
constexpr ip_address mapped{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}};
constexpr std::size_t mapped_bits = 96;
constexpr std::size_t all_bits = 128;

bool same_bits(const ip_address& one, const ip_address& other, std::size_t bits) {
  for (std::size_t i = 0; i < bits; ++i)
    if (((one.bytes[i / 8] ^ other.bytes[i / 8]) >> (7 - i % 8) & 1) != 0)
      return false;
  return true;
}

} // namespace

bool ip_address::is_four() const { return same_bits(*this, mapped, mapped_bits); }

bool ip_address::is_loopback() const {
  constexpr ip_address six{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
  return *this == six || (is_four() && bytes[12] == 127);
}

std::optional<ip_address> read_ip_address(std::string_view text) {
  if (auto four = boost::urls::parse_ipv4_address({text.data(), text.size()})) {
    auto result = mapped;
    std::ranges::copy(four->to_bytes(), result.bytes.begin() + mapped_bits / 8);
    return result;
  }
  if (auto six = boost::urls::parse_ipv6_address({text.data(), text.size()})) {
    ip_address result;
    std::ranges::copy(six->to_bytes(), result.bytes.begin());
    return result;
  }
  return std::nullopt;
}

std::string address_text(const ip_address& one) {
  if (!one.is_four())
    return boost::urls::ipv6_address{one.bytes}.to_string();
  boost::urls::ipv4_address::bytes_type four{};
  std::copy(one.bytes.begin() + mapped_bits / 8, one.bytes.end(), four.begin());
  return boost::urls::ipv4_address{four}.to_string();
}

bool ip_networks::is_valid(std::string_view text) { return read(text).has_value(); }

ip_networks::ip_networks(const std::vector<std::string>& texts) {
  for (const auto& text : texts)
    if (auto one = read(text))
      networks_.push_back(*one);
}

std::optional<ip_networks::network> ip_networks::read(std::string_view text) {
  auto slash = text.find('/');
  auto first = read_ip_address(text.substr(0, slash));
  if (!first)
    return std::nullopt;
  if (slash == text.npos)
    return network{*first, all_bits};
  const auto skipped = first->is_four() ? mapped_bits : 0;
  auto bits = read_number(text.substr(slash + 1));
  if (!bits || *bits > all_bits - skipped)
    return std::nullopt;
  return network{*first, skipped + *bits};
}

bool ip_networks::has(const ip_address& address) const {
  return std::ranges::any_of(networks_, [&](auto& one) { return same_bits(one.first, address, one.bits); });
}

bool ip_address::is_public() const {
  static const ip_networks special{
      {"0.0.0.0/8",      "10.0.0.0/8",   "100.64.0.0/10",  "127.0.0.0/8",    "169.254.0.0/16", "172.16.0.0/12",
       "192.0.0.0/24",   "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",  "198.51.100.0/24",
       "203.0.113.0/24", "224.0.0.0/4",  "240.0.0.0/4",    "::/96",          "64:ff9b::/96",   "64:ff9b:1::/48",
       "100::/64",       "2001::/23",    "2001:db8::/32",  "2002::/16",      "3fff::/20",      "fc00::/7",
       "fe80::/10",      "fec0::/10",    "ff00::/8"}};
  return !special.has(*this);
}

} // namespace troupe::protocol

#include "protocol/text/host_port.hpp"

#include "protocol/text/number.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <boost/url/ipv6_address.hpp>

namespace troupe::protocol {

namespace {

constexpr std::uint64_t highest_port = 65535;
/// Longest domain name (RFC 1035, 2.3.4).
constexpr std::size_t longest_host = 253;

bool is_name_part(unsigned char c) {
  return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '.' || c == '_' || c == '-';
}

bool is_bracketed(std::string_view host) { return host.size() > 2 && host.starts_with('[') && host.ends_with(']'); }

bool has_only(std::string_view text, std::string_view characters) {
  return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

bool is_ipv6(std::string_view text) { return boost::urls::parse_ipv6_address({text.data(), text.size()}).has_value(); }

/// Takes a number and the dot after it off the front of the text; true if the number is 0 to 255.
bool takes_byte(std::string_view& text) {
  const auto dot = std::min(text.find('.'), text.size());
  const auto number = read_number(text.substr(0, dot));
  text.remove_prefix(std::min(dot + 1, text.size()));
  return number && *number <= 255;
}

bool is_ipv4(std::string_view text) {
  const bool four = std::ranges::count(text, '.') == 3;
  return four && takes_byte(text) && takes_byte(text) && takes_byte(text) && takes_byte(text);
}

/// Parses a port without a leading zero, so that each port has one spelling.
std::optional<std::uint16_t> read_port(std::string_view text) {
  const auto number = read_number(text);
  if (!number || *number > highest_port || (text.size() > 1 && text.front() == '0'))
    return std::nullopt;
  return static_cast<std::uint16_t>(*number);
}

} // namespace

bool is_host(std::string_view text) {
  if (is_bracketed(text))
    return is_ipv6(without_brackets(text));
  return !text.empty() && text.size() <= longest_host && std::ranges::all_of(text, is_name_part);
}

std::string_view without_brackets(std::string_view host) {
  return is_bracketed(host) ? host.substr(1, host.size() - 2) : host;
}

std::optional<host_port> read_host_port(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == text.npos || !is_host(text.substr(0, colon)))
    return std::nullopt;
  const auto port = read_port(text.substr(colon + 1));
  return port ? std::optional(host_port{std::string(without_brackets(text.substr(0, colon))), *port}) : std::nullopt;
}

std::string host_port_text(std::string_view host, std::uint16_t port) {
  const bool bare = host.find(':') != host.npos && !is_bracketed(host);
  return (bare ? '[' + std::string(host) + ']' : std::string(host)) + ':' + std::to_string(port);
}

bool is_loopback(std::string_view host) {
  const auto bare = without_brackets(host);
  return same_word(bare, "localhost") || bare == "::1" || (bare.starts_with("127.") && is_ipv4(bare));
}

bool is_wildcard(std::string_view host) {
  const auto bare = without_brackets(host);
  // Any number of zeros: `0.0.0.0`, `0`, `::`, `::0`, `0:0:0:0:0:0:0:0`.
  return bare.empty() || bare == "*" || has_only(bare, "0.") || has_only(bare, "0:") || has_only(bare, ":");
}

} // namespace troupe::protocol

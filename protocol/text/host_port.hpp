#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// A host, which is a name or an address, and a port.
struct host_port {
  /// An address of IPv6 without its brackets.
  std::string host;
  std::uint16_t port = 0;

  friend bool operator==(const host_port&, const host_port&) = default;
};

/// Parses `HOST:PORT`, where an IPv6 address has brackets: `[::1]:7946`. Nothing when the text is anything else.
std::optional<host_port> read_host_port(std::string_view text);

/// `HOST:PORT`, with brackets where they are needed.
std::string host_port_text(std::string_view host, std::uint16_t port);

/// Whether the text is a name of at most 253 letters, digits, `.`, `_` and `-`, or an address as in URLs: IPv6 in
/// brackets, without a zone, which means nothing to other machines.
bool is_host(std::string_view text);

/// The host without the brackets that an address of IPv6 has.
std::string_view without_brackets(std::string_view host);

/// What an address begins with that is the path of a unix socket.
inline constexpr std::string_view unix_prefix = "unix:";

/// Whether an address is the path of a unix socket, behind that prefix.
inline bool is_unix_socket(std::string_view address) {
  return address.starts_with(unix_prefix) && address.size() > unix_prefix.size();
}

/// Whether a host, with or without brackets, is a loopback: `localhost`, 127.0.0.0/8 or ::1. Other names are not, even
/// if they resolve to one: they may resolve to something else tomorrow.
bool is_loopback(std::string_view host);

/// Whether a host, with or without brackets, stands for every address of a machine: `0.0.0.0`, `::`.
bool is_wildcard(std::string_view host);

} // namespace troupe::protocol

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Host, which is a name or an address, and port.
struct host_port {
  /// Name or address; an IPv6 address without brackets.
  std::string host;
  std::uint16_t port = 0;

  friend bool operator==(const host_port&, const host_port&) = default;
};

/// Parses `HOST:PORT`, with an IPv6 address in brackets: `[::1]:7946`. Nullopt for other texts.
std::optional<host_port> read_host_port(std::string_view text);

/// Formats `HOST:PORT`, with brackets if needed.
std::string host_port_text(std::string_view host, std::uint16_t port);

/// Whether the text is a name of up to 253 letters, digits, `.`, `_` and `-`, or an address as in URLs: IPv6 in
/// brackets, without a zone, which means nothing to other machines.
bool is_host(std::string_view text);

/// Removes the brackets of an IPv6 address.
std::string_view without_brackets(std::string_view host);

/// Prefix of an address that is the path of a unix socket.
inline constexpr std::string_view unix_prefix = "unix:";

/// Whether an address is the path of a unix socket, after `unix_prefix`.
inline bool is_unix_socket(std::string_view address) {
  return address.starts_with(unix_prefix) && address.size() > unix_prefix.size();
}

/// Whether a host, with or without brackets, is a loopback: `localhost`, 127.0.0.0/8 or ::1. Other names are not, even
/// if they resolve to a loopback: they may resolve to something else tomorrow.
bool is_loopback(std::string_view host);

/// Whether a host, with or without brackets, means every address of a machine: `0.0.0.0`, `::`.
bool is_wildcard(std::string_view host);

} // namespace troupe::protocol

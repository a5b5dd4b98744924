#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// An absolute URL of http or https (RFC 3986), taken apart: a host, perhaps a port, path and query, neither a user nor
/// a fragment.
struct http_url {
  bool is_secure = false;
  /// A name in lower case, or an address; one of IPv6 without its brackets.
  std::string host;
  std::uint16_t port = 0;
  /// Path and query, as they were written.
  std::string target;

  /// What `Host` says: the port only when it is not the scheme's own.
  std::string authority() const;
  /// Names what a connection leads to.
  std::string origin() const;
};

/// Nothing when it is no such URL, and then `why_not` says why in one line, which does not repeat it. A port that is
/// written is a number from 1 to 65535 without leading zeros.
std::optional<http_url> parse_http_url(std::string_view text, std::string& why_not);

/// Longest URL that a peer may name.
inline constexpr std::size_t longest_url = 8192;

/// A URI reference as a peer wrote it, resolved against the URL where it stood (RFC 3986, 5.2), without its fragment
/// and without the colon of a port that is not written. Nothing unless that is an http or https URL without user and
/// password.
std::optional<std::string> resolved(std::string_view base, std::string_view reference);

/// Whether two http or https URLs have one origin: scheme, host and port, written or not (RFC 6454, 5).
bool same_origin(std::string_view a, std::string_view b);

} // namespace troupe::protocol

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::protocol {

/// Address of a Redis server, `redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]`, or `rediss://` for TLS. User and
/// password are percent-encoded.
struct redis_address {
  /// Name in lower case, or address; IPv6 without brackets.
  std::string host = {};
  std::uint16_t port = 6379;
  bool is_secure = false;
  /// User of an access control list; empty for Redis' default user.
  std::string user = {};
  /// Password; empty if there is none. Never logged.
  std::string password = {};
  std::uint64_t database = 0;
};

/// Parses an address. If it is malformed, returns nullopt and sets `why_not` to the reason, one line without any part
/// of the text.
std::optional<redis_address> parse_redis_address(std::string_view text, std::string& why_not);

/// Encodes a text as one segment of a URI's path: all except the unreserved characters (RFC 3986, 2.3) become `%XX`.
std::string percent_encoded(std::string_view text);

/// Decodes a segment; nullopt if a `%` is not followed by two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view segment);

/// Text of a query or a form (`application/x-www-form-urlencoded`).
class url_parameters {
public:
  /// Leaves out a parameter without a value (RFC 6749, 3.2).
  url_parameters& add(std::string_view name, std::string_view value);
  std::string release() { return std::move(text_); }

private:
  std::string text_;
};

/// Parts of an absolute http or https URL (RFC 3986) without user and fragment.
struct http_url {
  bool is_secure = false;
  /// Name in lower case, or address; IPv6 without brackets.
  std::string host;
  std::uint16_t port = 0;
  /// Path and query, as written.
  std::string target;

  /// True for a host that is a loopback, see `is_loopback`.
  bool is_here() const;
  /// True if nobody on the network can read or change what is sent: it is encrypted, or stays on this machine.
  bool is_confidential() const { return is_secure || is_here(); }
  /// Value of the `Host` header: contains the port only if it is not the scheme's default.
  std::string authority() const;
  /// Scheme, host and port: requests to the same origin can share connections.
  std::string origin() const;
};

/// Parses a URL. If it is invalid, returns nullopt and sets `why_not` to the reason, one line without any part of the
/// text. A port is a number from 1 to 65535 without leading zeros.
std::optional<http_url> parse_http_url(std::string_view text, std::string& why_not);

/// Normalises a URI for comparison (RFC 3986, 6.2.2.1 and 6.2.3). In an http or https URL, scheme and host become lower
/// case; a default port and the slash of an empty path are removed. Other URIs stay unchanged.
std::string canonical_uri(std::string_view text);
/// Whether two URIs are equal in canonical form. Issuers write the one slash of an origin in one place and omit it in
/// another; any other difference, such as a slash after a path, makes another URI.
bool same_uri(std::string_view a, std::string_view b);

/// Longest URL accepted from a peer, in bytes.
inline constexpr std::size_t longest_url = 8192;

/// Resolves a URI reference from a peer against a base URL (RFC 3986, 5.2), and drops its fragment and the colon of an
/// empty port. Nullopt unless the result is an http or https URL without user and password.
std::optional<std::string> resolved(std::string_view base, std::string_view reference);

/// Whether two http or https URLs have the same origin: scheme, host and port, which may be the default (RFC 6454, 5).
bool same_origin(std::string_view a, std::string_view b);

} // namespace troupe::protocol

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// The address of a Redis, `redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]`, or `rediss://` in TLS, where user and
/// password are percent-encoded.
struct redis_address {
  /// A name in lower case, or an address; one of IPv6 without its brackets.
  std::string host = {};
  std::uint16_t port = 6379;
  bool is_secure = false;
  /// Of an access control list; empty for Redis' default user.
  std::string user = {};
  /// Empty when there is none. Never logged.
  std::string password = {};
  std::uint64_t database = 0;
};

/// Parses an address. Nothing when it is malformed: then `why_not` gets the reason, one line without any part of the
/// text.
std::optional<redis_address> parse_redis_address(std::string_view text, std::string& why_not);

/// Encodes a text as one segment of a URI's path: all but the unreserved characters (RFC 3986, 2.3) become `%XX`.
std::string percent_encoded(std::string_view text);

/// Decodes a segment; nothing when a `%` is not followed by two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view segment);

/// The parts of an absolute http or https URL (RFC 3986) without user and fragment.
struct http_url {
  bool is_secure = false;
  /// A name in lower case, or an address; one of IPv6 without its brackets.
  std::string host;
  std::uint16_t port = 0;
  /// Path and query, as they were written.
  std::string target;

  /// The value of the `Host` header: has the port only when it is not the scheme's default.
  std::string authority() const;
  /// Scheme, host and port: connections to the same origin can be shared.
  std::string origin() const;
};

/// Parses a URL. Nothing when it is no such URL: then `why_not` gets the reason, one line without any part of the text.
/// A port is a number from 1 to 65535 without leading zeros.
std::optional<http_url> parse_http_url(std::string_view text, std::string& why_not);

/// A URI in the form in which it is compared (RFC 3986, 6.2.2.1 and 6.2.3): scheme and host of an http or https URL in
/// lower case, without a default port and without the slash of an empty path. Anything else stays unchanged.
std::string canonical_uri(std::string_view text);
/// Whether two URIs differ at most in that. Issuers write the one slash of an origin in one place and omit it in
/// another; any other difference, such as a slash behind a path, is another URI.
bool same_uri(std::string_view a, std::string_view b);

/// Longest URL that a peer may name.
inline constexpr std::size_t longest_url = 8192;

/// Resolves a URI reference from a peer against a base URL (RFC 3986, 5.2), and drops its fragment and the colon of an
/// empty port. Nothing unless the result is an http or https URL without user and password.
std::optional<std::string> resolved(std::string_view base, std::string_view reference);

/// Whether two http or https URLs have the same origin: scheme, host and port, which may be the default (RFC 6454, 5).
bool same_origin(std::string_view a, std::string_view b);

} // namespace troupe::protocol

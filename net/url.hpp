#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::net {

/// Where a request goes, taken apart: an absolute http or https URL (RFC 3986) without user and fragment.
struct url {
  bool is_secure = false;
  /// A name in small letters, or an address; one of IPv6 without its brackets.
  std::string host;
  std::uint16_t port = 0;
  /// Path and query, as they were written.
  std::string target;

  /// What `Host` says: the port only when it is not the scheme's own.
  std::string authority() const;
  /// Names what a connection leads to.
  std::string origin() const;
};

/// Nothing when it is no such URL, and then `why_not` says why in one line, which does not repeat it.
std::optional<url> parse_url(std::string_view text, std::string& why_not);

/// Takes `HOST[:PORT]` apart as it stands in a URL; the port is the scheme's own when it is not written. What is wrong
/// with it, in one line which does not repeat it; empty when nothing is.
std::string parse_authority(std::string_view text, std::uint16_t own_port, std::string& host, std::uint16_t& port);

} // namespace troupe::net

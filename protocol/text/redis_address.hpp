#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Where a Redis is, and how to be let in: `redis://[:PASSWORD@]HOST[:PORT][/DATABASE]`, the password percent-encoded.
struct redis_address {
  /// A name in lower case, or an address; one of IPv6 without its brackets.
  std::string host = {};
  std::uint16_t port = 6379;
  /// None when empty. Never shown.
  std::string password = {};
  std::uint64_t database = 0;
};

/// Nothing when it is no such URL, and then `why_not` says why in one line, which does not repeat it.
std::optional<redis_address> parse_redis_address(std::string_view text, std::string& why_not);

} // namespace troupe::protocol

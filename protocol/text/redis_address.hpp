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

} // namespace troupe::protocol

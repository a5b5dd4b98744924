#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace troupe::protocol {

/// Longest token that is shown to a server, in bytes.
inline constexpr std::size_t longest_granted_token = 16 * 1024;

/// What a token endpoint has granted.
struct granted_token {
  std::string text;
  /// How long it is good; a while when that is not said.
  std::chrono::seconds life = {};
  bool is_life_told = false;
  friend bool operator==(const granted_token&, const granted_token&) = default;
};

/// Whether a request was granted: RFC 6749, 5.1 says 200, but some issuers answer 201.
constexpr bool is_success(int status) { return status >= 200 && status < 300; }

/// Reads the answer of a token endpoint (RFC 6749, 5; RFC 8693, 2.2). Otherwise why there is no token, one line.
std::variant<granted_token, std::string> read_grant_answer(int status, std::string_view body);

} // namespace troupe::protocol

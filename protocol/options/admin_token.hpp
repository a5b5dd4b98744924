#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace troupe::protocol {

inline constexpr std::size_t shortest_admin_token = 16;
inline constexpr std::size_t longest_admin_token = 4096;
/// Longest token and a line end of two bytes.
inline constexpr std::size_t longest_admin_token_file = longest_admin_token + 2;

/// Returns the error in the operators' token, in words that follow its name; empty if none. Never contains the token.
std::string fault_of_admin_token(std::string_view token);

/// Error in a token file of one line; `read_admin_token` returns the token or this error.
struct admin_token_fault {
  std::string why;
  friend bool operator==(const admin_token_fault&, const admin_token_fault&) = default;
};
std::variant<std::string, admin_token_fault> read_admin_token(std::string_view text);

/// Returns the name of the file for the token that a gateway has made for operators at this address and port.
std::string admin_token_name(std::string_view address, std::uint16_t port);

} // namespace troupe::protocol

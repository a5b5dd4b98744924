#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace troupe::protocol {

inline constexpr std::size_t shortest_admin_token = 16;
inline constexpr std::size_t longest_admin_token = 4096;
/// With a line end of two bytes.
inline constexpr std::size_t longest_admin_token_file = longest_admin_token + 2;

/// What is wrong with the token of operators, to be read after its name; empty when it can be used. Never contains it.
std::string fault_of_admin_token(std::string_view token);

/// The token in a file of one line; otherwise what is wrong with it.
struct admin_token_fault {
  std::string why;
  friend bool operator==(const admin_token_fault&, const admin_token_fault&) = default;
};
std::variant<std::string, admin_token_fault> read_admin_token(std::string_view text);

/// The name of the file that a gateway keeps the token in that it has made for operators at this address and port.
std::string admin_token_name(std::string_view address, std::uint16_t port);

} // namespace troupe::protocol

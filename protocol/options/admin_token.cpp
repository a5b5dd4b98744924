#include "protocol/options/admin_token.hpp"

#include <algorithm>

namespace troupe::protocol {

std::string fault_of_admin_token(std::string_view token) {
  if (token.size() < shortest_admin_token)
    return "must have at least 16 characters, such as those of `openssl rand -hex 32`";
  if (token.size() > longest_admin_token)
    return "must have at most 4096 characters";
  // Characters of a header field (RFC 9110, 5.5), without blanks.
  if (!std::ranges::all_of(token, [](char c) { return c > ' ' && c < '\x7f'; }))
    return "must be one line of visible characters of ASCII";
  return {};
}

std::variant<std::string, admin_token_fault> read_admin_token(std::string_view text) {
  for (const char end : {'\n', '\r'})
    if (text.ends_with(end))
      text.remove_suffix(1);
  if (auto why = fault_of_admin_token(text); !why.empty())
    return admin_token_fault{std::move(why)};
  return std::string{text};
}

std::string admin_token_name(std::string_view address, std::uint16_t port) {
  return "admin-" + std::string{address} + '-' + std::to_string(port) + ".token";
}

} // namespace troupe::protocol

#include "protocol/text/base64.hpp"

#include <cstdint>

namespace troupe::protocol {

namespace {

constexpr std::string_view base64_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

} // namespace

std::string base64(std::string_view bytes) {
  std::string result;
  result.reserve((bytes.size() + 2) / 3 * 4);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (auto c : bytes) {
    bits = bits << 8U | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6)
      result += base64_letters[bits >> (count - 6) & 63U];
  }
  if (count > 0)
    result += base64_letters[bits << (6 - count) & 63U];
  result.append((4 - result.size() % 4) % 4, '=');
  return result;
}

std::optional<std::string> from_base64url(std::string_view text) {
  std::string result;
  result.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (auto c : text) {
    auto at = c == '-' ? 62 : c == '_' ? 63 : c == '+' || c == '/' ? base64_letters.npos : base64_letters.find(c);
    if (at == base64_letters.npos)
      return std::nullopt;
    bits = bits << 6U | static_cast<std::uint32_t>(at);
    if ((count += 6) < 8)
      continue;
    count -= 8;
    result += static_cast<char>(bits >> count & 0xFFU);
  }
  if (count >= 6 || (bits & ((1U << count) - 1U)) != 0)
    return std::nullopt;
  return result;
}

} // namespace troupe::protocol

#include "protocol/text/base64.hpp"

#include <cstdint>

namespace troupe::protocol {

namespace {

constexpr std::string_view base64_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view base64url_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string unpadded(std::string_view bytes, std::string_view letters) {
  std::string result;
  result.reserve((bytes.size() + 2) / 3 * 4);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (auto c : bytes) {
    bits = bits << 8U | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6)
      result += letters[bits >> (count - 6) & 63U];
  }
  if (count > 0)
    result += letters[bits << (6 - count) & 63U];
  return result;
}

std::optional<std::string> from_unpadded(std::string_view text, std::string_view letters) {
  std::string result;
  result.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (auto c : text) {
    auto at = letters.find(c);
    if (at == letters.npos)
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

} // namespace

std::string base64(std::string_view bytes) {
  auto result = unpadded(bytes, base64_letters);
  result.append((4 - result.size() % 4) % 4, '=');
  return result;
}

std::string base64url(std::string_view bytes) { return unpadded(bytes, base64url_letters); }

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0)
    return std::nullopt;
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding)
    text.remove_suffix(1);
  return from_unpadded(text, base64_letters);
}

std::optional<std::string> from_base64url(std::string_view text) { return from_unpadded(text, base64url_letters); }

} // namespace troupe::protocol

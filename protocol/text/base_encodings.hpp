#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Encodes in Base64 with padding (RFC 4648, section 4), as content blocks have it.
std::string base64(std::string_view bytes);

/// Decodes `base64`. Nullopt if the text is not Base64 with padding, or has unused bits that are not zero.
std::optional<std::string> from_base64(std::string_view text);

/// Encodes with the alphabet for URLs, without padding (RFC 4648, section 5).
std::string base64url(std::string_view bytes);

/// Decodes `base64url` (RFC 7515, 2). Nullopt if the text is anything else, such as padded, or has unused bits that are
/// not zero.
std::optional<std::string> from_base64url(std::string_view text);

/// Two lower-case hexadecimal digits for each byte value, in order.
inline constexpr auto hex_pairs = [] {
  constexpr char digits[] = "0123456789abcdef";
  std::array<char, 512> result{};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    result[2 * byte] = digits[byte >> 4];
    result[2 * byte + 1] = digits[byte & 0x0F];
  }
  return result;
}();

/// Writes the two digits of a byte.
inline void write_hex(std::byte one, char* to) {
  std::memcpy(to, &hex_pairs[2 * std::to_integer<std::size_t>(one)], 2);
}

/// Writes the 16 digits of a number.
inline void write_hex(std::uint64_t number, char* to) {
  for (std::size_t at = 16; at != 0; number >>= 8)
    write_hex(static_cast<std::byte>(number), to + (at -= 2));
}

/// The 16 lower-case hexadecimal digits of a number.
inline std::string hex(std::uint64_t number) {
  std::string result(16, '0');
  write_hex(number, result.data());
  return result;
}

/// Two lower-case hexadecimal digits for each byte.
inline std::string hex(std::span<const std::byte> bytes) {
  std::string result(2 * bytes.size(), '0');
  for (std::size_t i = 0; i < bytes.size(); ++i)
    write_hex(bytes[i], &result[2 * i]);
  return result;
}

} // namespace troupe::protocol

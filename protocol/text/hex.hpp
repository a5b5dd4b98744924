#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace troupe::protocol {

/// Two lower-case hexadecimal digits for each byte.
inline std::string hex(std::span<const std::byte> bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string result;
  result.reserve(2 * bytes.size());
  for (auto byte : bytes) {
    result += digits[std::to_integer<std::size_t>(byte >> 4)];
    result += digits[std::to_integer<std::size_t>(byte & std::byte{0x0F})];
  }
  return result;
}

} // namespace troupe::protocol

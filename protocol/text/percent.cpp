#include "protocol/text/percent.hpp"

#include <charconv>

namespace troupe::protocol {

namespace {

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

std::optional<char> read_byte(std::string_view digits) {
  unsigned char value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.size() != 2 || error != std::errc{} || end != digits.data() + 2)
    return std::nullopt;
  return static_cast<char>(value);
}

} // namespace

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string result;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (is_unreserved(c))
      result += c;
    else
      result.append(1, '%').append(1, digits[byte >> 4U]).append(1, digits[byte & 15U]);
  }
  return result;
}

std::optional<std::string> percent_decoded(std::string_view segment) {
  std::string result;
  for (std::size_t i = 0; i < segment.size(); ++i) {
    if (segment[i] != '%') {
      result += segment[i];
      continue;
    }
    auto byte = read_byte(segment.substr(i + 1, 2));
    if (!byte)
      return std::nullopt;
    result += *byte;
    i += 2;
  }
  return result;
}

} // namespace troupe::protocol

#include "protocol/text/base_encodings.hpp"

namespace troupe::protocol {

namespace {

constexpr std::string_view base64_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view base64url_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The six bits that each letter stands for; `no_letter` for all other bytes.
using letter_values = std::array<std::uint8_t, 256>;
constexpr std::uint8_t no_letter = 64;

constexpr letter_values letter_values_of(std::string_view letters) {
  letter_values result{};
  result.fill(no_letter);
  for (std::size_t i = 0; i < letters.size(); ++i)
    result[static_cast<unsigned char>(letters[i])] = static_cast<std::uint8_t>(i);
  return result;
}

constexpr auto base64_values = letter_values_of(base64_letters);
constexpr auto base64url_values = letter_values_of(base64url_letters);

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

std::optional<std::string> from_unpadded(std::string_view text, const letter_values& values) {
  std::string result;
  result.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (auto c : text) {
    const auto value = values[static_cast<unsigned char>(c)];
    if (value == no_letter)
      return std::nullopt;
    bits = bits << 6U | value;
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
  return from_unpadded(text, base64_values);
}

std::optional<std::string> from_base64url(std::string_view text) { return from_unpadded(text, base64url_values); }

} // namespace troupe::protocol

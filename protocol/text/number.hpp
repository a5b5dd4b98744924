#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace troupe::protocol {

/// Largest number up to which doubles distinguish whole numbers (RFC 8259, 6).
inline constexpr std::int64_t largest_whole = std::int64_t{1} << 53;

/// Returns the value of a whole JSON number in any notation: `1`, `1.0`, `10e-1`. Nullopt for other texts, and for
/// numbers whose absolute value exceeds `largest_whole`.
std::optional<std::int64_t> whole_number(std::string_view text);

/// Like `whole_number`, for numbers without a sign; those without fraction and exponent may have 64 bits.
std::optional<std::uint64_t> unsigned_number(std::string_view text);

/// Parses a decimal number of up to 64 bits without a sign; nullopt for other texts.
inline std::optional<std::uint64_t> read_number(std::string_view text) {
  std::uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

} // namespace troupe::protocol

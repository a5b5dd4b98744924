#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace troupe::protocol {

/// Beyond it, doubles tell whole numbers apart no more (RFC 8259, 6).
inline constexpr std::int64_t largest_whole = std::int64_t{1} << 53;

/// The value of a JSON number that is whole, however it is written: `1`, `1.0`, `10e-1`. Nothing when the text is
/// anything else, or beyond `largest_whole` on either side.
std::optional<std::int64_t> whole_number(std::string_view text);

/// The same for numbers without a sign; those without fraction and exponent may have 64 bits.
std::optional<std::uint64_t> unsigned_number(std::string_view text);

/// Parses a decimal number of at most 64 bits without a sign. Nothing when the text is anything else.
inline std::optional<std::uint64_t> read_number(std::string_view text) {
  std::uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

} // namespace troupe::protocol

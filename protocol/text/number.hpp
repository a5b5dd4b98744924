#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace troupe::protocol {

/// Parses a decimal number of at most 64 bits without a sign. Nothing when the text is anything else.
inline std::optional<std::uint64_t> read_number(std::string_view text) {
  std::uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

} // namespace troupe::protocol

#include "protocol/text/number.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace troupe::protocol {

namespace {

/// Number of digits of `largest_whole`.
constexpr std::int64_t most_digits = 16;

/// Takes the digits off the front of a text.
std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if(text.begin(), text.end(), [](char c) { return c < '0' || c > '9'; });
  const auto digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

bool skip_one_of(std::string_view& text, std::string_view one_of) {
  if (text.empty() || one_of.find(text.front()) == one_of.npos)
    return false;
  text.remove_prefix(1);
  return true;
}

/// Parts of a decimal number, none of them rounded.
struct decimal {
  bool is_negative = false;
  std::string_view whole = {}, fraction = {};
  std::int64_t exponent = 0;

  char digit(std::size_t at) const { return at < whole.size() ? whole[at] : fraction[at - whole.size()]; }
  std::size_t digits() const { return whole.size() + fraction.size(); }
};

/// Takes an exponent off the text. One too large for its type is capped at more than any number here has digits.
std::optional<std::int64_t> take_exponent(std::string_view& text) {
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max() / 4;
  const auto is_negative = text.starts_with('-');
  skip_one_of(text, "+-");
  const auto digits = take_digits(text);
  if (digits.empty())
    return std::nullopt;
  std::int64_t size = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), size).ec != std::errc{})
    size = huge;
  size = std::min(size, huge);
  return is_negative ? -size : size;
}

std::optional<decimal> read_decimal(std::string_view text) {
  decimal result{.is_negative = skip_one_of(text, "-")};
  result.whole = take_digits(text);
  if (result.whole.empty())
    return std::nullopt;
  if (skip_one_of(text, ".")) {
    result.fraction = take_digits(text);
    if (result.fraction.empty())
      return std::nullopt;
  }
  if (skip_one_of(text, "eE")) {
    const auto exponent = take_exponent(text);
    if (!exponent)
      return std::nullopt;
    result.exponent = *exponent;
  }
  return text.empty() ? std::optional{result} : std::nullopt;
}

/// Returns the absolute value; nullopt if it is not whole, or has too many digits.
std::optional<std::int64_t> magnitude_of(const decimal& one) {
  std::size_t first = 0, last = one.digits();
  while (first < last && one.digit(first) == '0')
    ++first;
  while (last > first && one.digit(last - 1) == '0')
    --last;
  if (first == last)
    return 0;
  const auto zeros = one.exponent + static_cast<std::int64_t>(one.whole.size()) - static_cast<std::int64_t>(last);
  const auto known = static_cast<std::int64_t>(last - first);
  if (zeros < 0 || zeros > most_digits || known > most_digits - zeros)
    return std::nullopt;
  std::int64_t result = 0;
  for (; first < last; ++first)
    result = 10 * result + (one.digit(first) - '0');
  for (auto more = zeros; more > 0; --more)
    result *= 10;
  return result;
}

} // namespace

std::optional<std::int64_t> whole_number(std::string_view text) {
  const auto parts = read_decimal(text);
  const auto size = parts ? magnitude_of(*parts) : std::nullopt;
  if (!size || *size > largest_whole)
    return std::nullopt;
  return parts->is_negative ? -*size : *size;
}

std::optional<std::uint64_t> unsigned_number(std::string_view text) {
  if (auto plain = read_number(text))
    return plain;
  const auto number = whole_number(text);
  return number && *number >= 0 ? std::optional{static_cast<std::uint64_t>(*number)} : std::nullopt;
}

} // namespace troupe::protocol

#include "deploy/config/duration.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace troupe::deploy {

namespace {

constexpr std::string_view digits = "0123456789";
constexpr double longest = 1e9; // seconds, some thirty years
constexpr std::size_t most_decimals = 3;

/// A unit, and the digits that a number of it may have before its point: each stays below `longest`.
struct unit {
  std::string_view name;
  double milliseconds;
  std::size_t digits;
};

constexpr unit units[] = {{"ms", 1, 12}, {"s", 1000, 9}, {"m", 60'000, 7}, {"h", 3'600'000, 5}};

std::chrono::milliseconds rounded_up(double milliseconds) {
  return std::chrono::milliseconds{static_cast<std::int64_t>(std::ceil(milliseconds))};
}

bool is_decimal(std::string_view text, std::size_t most_whole) {
  const auto whole = std::min(text.find_first_not_of(digits), text.size());
  const auto fraction = text.substr(whole);
  const bool plain = fraction.empty() || (fraction.front() == '.' && fraction.size() > 1 &&
                                          fraction.find_first_not_of(digits, 1) == std::string_view::npos);
  return plain && whole > 0 && whole <= most_whole && fraction.size() <= most_decimals + 1;
}

} // namespace

std::optional<std::chrono::milliseconds> duration_of(double seconds) {
  if (!(seconds >= 0 && seconds < longest))
    return std::nullopt;
  return rounded_up(seconds * 1000);
}

std::optional<std::chrono::milliseconds> duration_of(std::string_view text) {
  const auto end = text.find_last_of(digits) + 1; // 0 when there is none
  const auto number = text.substr(0, end);
  const auto* const found = std::ranges::find(units, text.substr(end), &unit::name);
  if (found == std::end(units) || !is_decimal(number, found->digits))
    return std::nullopt;
  double value = 0;
  std::from_chars(number.data(), number.data() + number.size(), value);
  return rounded_up(value * found->milliseconds);
}

} // namespace troupe::deploy

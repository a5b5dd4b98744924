#include "protocol/message/same_id.hpp"

#include "protocol/text/number.hpp"

#include <algorithm>
#include <charconv>

namespace troupe::protocol {

namespace {

bool is_point_or_exponent(char c) { return c == '.' || c == 'e' || c == 'E'; }

/// Whether a token is a string, or an integer in its most usual notation.
bool is_usual(std::string_view token) {
  return token.starts_with('"') || (std::ranges::none_of(token, is_point_or_exponent) && token != "-0");
}

} // namespace

id_key::id_key(std::string_view token) : text_{token} {
  if (is_usual(token))
    return;
  if (const auto number = whole_number(token)) {
    const auto end = std::to_chars(digits_.data(), digits_.data() + digits_.size(), *number).ptr;
    text_ = {digits_.data(), static_cast<std::size_t>(end - digits_.data())};
  }
}

std::strong_ordering compare_ids(std::string_view a, std::string_view b) {
  if (a == b)
    return std::strong_ordering::equal;
  return id_key{a}.text() <=> id_key{b}.text();
}

} // namespace troupe::protocol

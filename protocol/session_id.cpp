#include "protocol/session_id.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

bool visible(char c) { return c >= 0x21 && c <= 0x7E; }

} // namespace

std::string make_session_id(const random_bytes& bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  result.reserve(2 * bytes.size());
  for (auto byte : bytes) {
    result += digits[std::to_integer<std::size_t>(byte >> 4)];
    result += digits[std::to_integer<std::size_t>(byte & std::byte{0x0F})];
  }
  return result;
}

bool valid_session_id(std::string_view id) {
  return !id.empty() && id.size() <= longest_session_id &&
         std::all_of(id.begin(), id.end(), [](char c) { return visible(c) && c != ','; });
}

std::string shown(std::string_view id) {
  std::string result{id.substr(0, std::min(shown_length, id.size() / 2))};
  std::replace_if(
      result.begin(), result.end(), [](char c) { return !visible(c); }, '?');
  return result + "…";
}

} // namespace troupe::protocol

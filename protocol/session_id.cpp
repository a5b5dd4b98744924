#include "protocol/session_id.hpp"

#include "protocol/text/hex.hpp"

#include <algorithm>
#include <array>

namespace troupe::protocol {

namespace {

constexpr std::string_view ellipsis = "…";

bool visible(char c) { return c >= 0x21 && c <= 0x7E; }

} // namespace

std::string make_session_id(const random_bytes& bytes) { return hex(bytes); }

bool valid_session_id(std::string_view id) {
  return !id.empty() && id.size() <= longest_session_id &&
         std::all_of(id.begin(), id.end(), [](char c) { return visible(c) && c != ','; });
}

std::string shown(std::string_view id) {
  std::array<char, shown_length + ellipsis.size()> text;
  const auto size = std::min(shown_length, id.size() / 2);
  std::transform(id.begin(), id.begin() + size, text.begin(), [](char c) { return visible(c) ? c : '?'; });
  ellipsis.copy(text.data() + size, ellipsis.size());
  return {text.data(), size + ellipsis.size()};
}

} // namespace troupe::protocol

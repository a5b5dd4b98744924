#include "protocol/ids.hpp"

#include "protocol/text/base_encodings.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

bool visible(char c) { return c >= 0x21 && c <= 0x7E; }

} // namespace

std::string make_session_id(const random_bytes& bytes) { return hex(bytes); }

bool valid_session_id(std::string_view id) {
  return !id.empty() && id.size() <= longest_session_id &&
         std::all_of(id.begin(), id.end(), [](char c) { return visible(c) && c != ','; });
}

std::string shown(std::string_view id) {
  std::array<char, longest_shown_id> text;
  return {text.data(), write_shown(id, text.data())};
}

std::size_t write_shown(std::string_view id, char* to) {
  const auto size = std::min(shown_length, id.size() / 2);
  std::transform(id.begin(), id.begin() + size, to, [](char c) { return visible(c) ? c : '?'; });
  return size + shown_rest.copy(to + size, shown_rest.size());
}

} // namespace troupe::protocol

#include "protocol/session_id.hpp"

#include "protocol/text/hex.hpp"

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
  std::string result{id.substr(0, std::min(shown_length, id.size() / 2))};
  std::replace_if(
      result.begin(), result.end(), [](char c) { return !visible(c); }, '?');
  result += "…";
  return result;
}

} // namespace troupe::protocol

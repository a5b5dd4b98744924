#include "protocol/message/header_value.hpp"

#include "protocol/text/base64.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

constexpr std::string_view mark = "=?base64?";
constexpr std::string_view end_mark = "?=";

bool is_marked(std::string_view value) {
  return value.size() >= mark.size() + end_mark.size() && value.starts_with(mark) && value.ends_with(end_mark);
}

bool is_visible_or_blank(char c) { return c >= 0x20 && c < 0x7f; }

} // namespace

std::optional<std::string> decoded_header(std::string_view value) {
  if (!is_marked(value))
    return std::string{value};
  value.remove_prefix(mark.size());
  value.remove_suffix(end_mark.size());
  auto text = from_base64(value);
  return text && !json_error(quoted(*text)) ? text : std::nullopt;
}

std::string encoded_header(std::string_view text) {
  if (!is_marked(text) && without_blanks(text) == text && std::ranges::all_of(text, is_visible_or_blank))
    return std::string{text};
  return std::string{mark} + base64(text) + std::string{end_mark};
}

} // namespace troupe::protocol

#include "protocol/message/header_value.hpp"

#include "protocol/text/base64.hpp"
#include "protocol/text/json.hpp"

namespace troupe::protocol {

namespace {

constexpr std::string_view mark = "=?base64?";
constexpr std::string_view end_mark = "?=";

bool is_marked(std::string_view value) {
  return value.size() >= mark.size() + end_mark.size() && value.starts_with(mark) && value.ends_with(end_mark);
}

} // namespace

std::optional<std::string> decoded_header(std::string_view value) {
  if (!is_marked(value))
    return std::string{value};
  value.remove_prefix(mark.size());
  value.remove_suffix(end_mark.size());
  auto text = from_base64(value);
  return text && !json_error(quoted(*text)) ? text : std::nullopt;
}

} // namespace troupe::protocol

#include "protocol/text/http_syntax.hpp"

#include "protocol/text/words.hpp"

namespace troupe::protocol {

namespace {

/// Splits the text before the separator off the front of `rest`.
std::string_view split_off(std::string_view& rest, char separator) {
  auto size = std::min(rest.find(separator), rest.size());
  auto part = without_blanks(rest.substr(0, size));
  rest.remove_prefix(std::min(size + 1, rest.size()));
  return part;
}

bool is_zero_quality(std::string_view parameter) {
  auto name = split_off(parameter, '=');
  return same_word(name, "q") && !parameter.empty() && parameter.find_first_not_of("0.") == parameter.npos;
}

bool has_zero_quality(std::string_view parameters) {
  while (!parameters.empty())
    if (is_zero_quality(split_off(parameters, ';')))
      return true;
  return false;
}

bool media_range_covers(std::string_view range, std::string_view type, std::string_view subtype) {
  auto left = split_off(range, '/');
  return (left == "*" || same_word(left, type)) && (range == "*" || same_word(range, subtype));
}

} // namespace

bool is_json_type(std::string_view content_type) { return same_word(split_off(content_type, ';'), "application/json"); }

bool accepts(std::string_view accept, std::string_view type, std::string_view subtype) {
  while (!accept.empty()) {
    auto parameters = split_off(accept, ',');
    if (media_range_covers(split_off(parameters, ';'), type, subtype) && !has_zero_quality(parameters))
      return true;
  }
  return false;
}

} // namespace troupe::protocol

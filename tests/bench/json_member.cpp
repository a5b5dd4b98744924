#include "tests/bench/json_member.hpp"

#include <algorithm>
#include <cstddef>

namespace troupe::bench {

namespace {

constexpr std::string_view space = " \t\r\n";

std::size_t after_space(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(space, at), text.size());
}

/// The position behind the string that begins at this opening quote.
std::size_t after_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    at = std::min(text.find_first_of("\"\\", at), text.size());
    if (at < text.size() && text[at] == '"')
      return at + 1;
    ++at; // the escaped character
  }
  return text.size();
}

std::size_t after_nested(std::string_view text, std::size_t at) {
  for (int depth = 0; at < text.size();) {
    if (text[at] == '"') {
      at = after_string(text, at);
      continue;
    }
    if (text[at] == '{' || text[at] == '[')
      ++depth;
    else if (text[at] == '}' || text[at] == ']')
      --depth;
    ++at;
    if (depth == 0)
      return at;
  }
  return text.size();
}

std::size_t after_value(std::string_view text, std::size_t at) {
  if (at >= text.size())
    return at;
  if (text[at] == '"')
    return after_string(text, at);
  if (text[at] == '{' || text[at] == '[')
    return after_nested(text, at);
  return std::min(text.find_first_of(",}] \t\r\n", at), text.size());
}

} // namespace

std::string_view member(std::string_view object, std::string_view name) {
  auto at = after_space(object, 0) + 1;
  for (;;) {
    at = after_space(object, at);
    if (at >= object.size() || object[at] != '"')
      return {};
    const auto name_end = after_string(object, at);
    const auto found = object.substr(at + 1, name_end - at - 2);
    at = after_space(object, after_space(object, name_end) + 1);
    const auto end = after_value(object, at);
    if (found == name)
      return object.substr(at, end - at);
    at = after_space(object, end) + 1;
  }
}

} // namespace troupe::bench

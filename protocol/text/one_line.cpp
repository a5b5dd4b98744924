#include "protocol/text/one_line.hpp"

#include "protocol/text/json.hpp"

#include <algorithm>

namespace troupe::protocol {

std::string one_line(std::string_view words, std::size_t longest) {
  auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7f; };
  std::string result{words.substr(0, longest)};
  while (result.size() < words.size() && !result.empty() && (words[result.size()] & '\xC0') == '\x80')
    result.pop_back();
  std::erase_if(result, is_control);
  if (json_error(quoted(result)))
    std::replace_if(
        result.begin(), result.end(), [](char c) { return (c & '\x80') != 0; }, '?');
  return result;
}

} // namespace troupe::protocol

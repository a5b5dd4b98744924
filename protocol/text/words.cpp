#include "protocol/text/words.hpp"

#include "protocol/text/json.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

char lower_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_blank(char c) { return c == ' ' || c == '\t'; }

} // namespace

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

bool same_letters(std::string_view a, std::string_view b) {
  return a == b ||
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower_letter(x) == lower_letter(y); });
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), lower_letter);
  return result;
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back()))
    text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> words_in(std::string_view text, std::string_view parted_by) {
  std::vector<std::string_view> result;
  while (!text.empty()) {
    auto end = std::min(text.find_first_of(parted_by), text.size());
    if (end > 0)
      result.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

} // namespace troupe::protocol

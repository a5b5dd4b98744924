#include "deploy/log/log_line.hpp"

#include <algorithm>
#include <cstddef>

namespace troupe::deploy {

namespace {

struct character {
  std::size_t size = 0; // 0 when the text starts with no well-formed UTF-8
  char32_t code = 0;
};

std::size_t size_by_lead(unsigned char lead) {
  if (lead < 0x80)
    return 1;
  if (lead >= 0xc2 && lead < 0xe0)
    return 2;
  if (lead >= 0xe0 && lead < 0xf0)
    return 3;
  return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

bool is_scalar(char32_t code, std::size_t size) {
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; // by size: anything lower is an overlong form
  return code >= least[size] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const auto size = size_by_lead(lead);
  if (size == 0 || size > text.size())
    return {};
  char32_t code = size == 1 ? lead : lead & (0xffu >> (size + 1));
  for (const unsigned char byte : text.substr(1, size - 1)) {
    if ((byte & 0xc0) != 0x80)
      return {};
    code = code << 6 | (byte & 0x3f);
  }
  return is_scalar(code, size) ? character{size, code} : character{};
}

/// Control characters, what some readers take for a line break, and what reverses the text around it.
bool is_unsafe(char32_t code) {
  return code < 0x20 || code == 0x061c || code == 0x200e || code == 0x200f || (code >= 0x7f && code < 0xa0) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

std::string unicode_escape(char32_t code) {
  constexpr char digits[] = "0123456789abcdef";
  std::string result = "\\u";
  for (int shift = 12; shift >= 0; shift -= 4)
    result += digits[code >> shift & 0xf];
  return result;
}

void append_escaped(std::string& result, std::string_view bytes, char32_t code) {
  if (code == '"' || code == '\\')
    (result += '\\') += bytes;
  else if (code == '\n')
    result += "\\n";
  else if (code == '\t')
    result += "\\t";
  else if (is_unsafe(code))
    result += unicode_escape(code);
  else
    result += bytes;
}

std::string in_quotes(std::string_view text) { return '"' + escaped(text) + '"'; }

bool needs_quotes(std::string_view value) {
  return value.empty() || value.find_first_of(" =\"") != std::string_view::npos || escaped(value) != value;
}

} // namespace

std::string escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const auto [size, code] = first_character(text);
    if (size == 0)
      result += "\\ufffd";
    else
      append_escaped(result, text.substr(0, size), code);
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return result;
}

std::string text_line(const log_record& record) {
  auto result = escaped(record.text);
  for (const auto& [key, value] : record.fields)
    result += ' ' + escaped(key) + '=' + (needs_quotes(value) ? in_quotes(value) : value);
  return result;
}

std::string json_members(const log_record& record) {
  auto result = "\"msg\":" + in_quotes(record.text);
  for (const auto& [key, value] : record.fields)
    result += ',' + in_quotes(key) + ':' + in_quotes(value);
  return result;
}

} // namespace troupe::deploy

#include "protocol/text/glob.hpp"

namespace troupe::protocol {

namespace {

/// Where the character that begins at `at` ends, in UTF-8.
std::size_t after_character(std::string_view text, std::size_t at) {
  auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  do
    ++at;
  while (at < text.size() && continues(text[at]));
  return at;
}

} // namespace

bool fits_glob(std::string_view pattern, std::string_view text, wildcards signs) {
  std::size_t p = 0, t = 0;
  // Only the last star is ever tried again: what an earlier one could take, the later one can take as well.
  auto star = pattern.npos;
  std::size_t taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == signs.any) {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && pattern[p] == signs.one) {
      ++p;
      t = after_character(text, t);
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = taken = after_character(text, taken);
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of(signs.any, p) == pattern.npos;
}

} // namespace troupe::protocol

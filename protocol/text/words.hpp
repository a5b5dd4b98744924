#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Makes text from a peer safe for logs and errors: up to `longest` bytes, no control characters. In text that is not
/// UTF-8, bytes outside ASCII become `?`.
std::string one_line(std::string_view words, std::size_t longest = 200);

/// Whether two texts are equal; takes the same time wherever they differ, so that a secret cannot be guessed in parts.
inline bool same_secret(std::string_view one, std::string_view other) {
  if (one.size() != other.size())
    return false;
  std::uint64_t difference = 0;
  auto compare = [&](std::size_t from, std::size_t size) {
    std::uint64_t mine = 0, theirs = 0;
    std::memcpy(&mine, one.data() + from, size);
    std::memcpy(&theirs, other.data() + from, size);
    difference |= mine ^ theirs;
  };
  std::size_t from = 0;
  for (; from + sizeof difference <= one.size(); from += sizeof difference)
    compare(from, sizeof difference);
  if (from < one.size())
    compare(from, one.size() - from);
  return difference == 0;
}

/// Whether two texts of the same length are equal except for the case of ASCII letters.
bool same_letters(std::string_view a, std::string_view b);

/// Whether two texts are equal except for the case of ASCII letters. Inline, because most compared texts differ in
/// length or in their first letter.
inline bool same_word(std::string_view a, std::string_view b) {
  constexpr auto case_bit = 'a' ^ 'A';
  return a.size() == b.size() && (a.empty() || ((a.front() ^ b.front()) & ~case_bit) == 0) && same_letters(a, b);
}

/// Converts ASCII letters to lower case.
std::string lower(std::string_view text);

/// Removes the spaces and tabs around the text.
std::string_view without_blanks(std::string_view text);

/// Cuts the text at its first null character, where a C string would end.
inline std::string_view until_null(std::string_view text) { return text.substr(0, text.find('\0')); }

/// Splits a text at any of these characters; empty words are left out.
std::vector<std::string_view> words_in(std::string_view text, std::string_view parted_by);

/// Joins texts, each as `shown` gives it.
template <class Texts, class Shown = std::identity>
std::string joined(const Texts& texts, std::string_view separator, Shown shown = {}) {
  std::string result;
  for (auto& one : texts)
    result.append(result.empty() ? std::string_view{} : separator).append(shown(one));
  return result;
}

} // namespace troupe::protocol

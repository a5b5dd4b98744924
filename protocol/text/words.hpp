#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// A peer's text made safe for a log or an error's text: at most `longest` bytes, without control characters, and with
/// `?` for what is no UTF-8.
std::string one_line(std::string_view words, std::size_t longest = 200);

/// Whether two texts are equal; takes the same time wherever they differ, so that one cannot be guessed part by part.
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

/// Whether two texts of the same length are equal but for the case of ASCII letters.
bool same_letters(std::string_view a, std::string_view b);

/// Whether two texts are equal but for the case of ASCII letters. Inline, because most that are compared differ in
/// length.
inline bool same_word(std::string_view a, std::string_view b) { return a.size() == b.size() && same_letters(a, b); }

/// The text with its ASCII letters in lower case.
std::string lower(std::string_view text);

/// The text without the spaces and tabs around it.
std::string_view without_blanks(std::string_view text);

/// The text as programs read it for which a null character ends it, as in C.
inline std::string_view until_null(std::string_view text) { return text.substr(0, text.find('\0')); }

/// The words of a text that are parted by any of these characters; empty ones are left out.
std::vector<std::string_view> words_in(std::string_view text, std::string_view parted_by);

} // namespace troupe::protocol

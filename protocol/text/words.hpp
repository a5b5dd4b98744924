#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

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

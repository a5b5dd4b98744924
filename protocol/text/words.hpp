#pragma once

#include <string>
#include <string_view>

namespace troupe::protocol {

/// Of words of one length: equal but for the case of ASCII letters.
bool same_letters(std::string_view a, std::string_view b);

/// Equal but for the case of ASCII letters. Most words that are compared differ in length: that is seen at once.
inline bool same_word(std::string_view a, std::string_view b) { return a.size() == b.size() && same_letters(a, b); }

/// The letters of ASCII in lower case.
std::string lower(std::string_view text);

/// The text without spaces and tabs around it.
std::string_view without_blanks(std::string_view text);

} // namespace troupe::protocol

#pragma once

#include <string_view>

namespace troupe::protocol {

/// Of words of one length: equal but for the case of ASCII letters.
bool same_letters(std::string_view a, std::string_view b);

/// Equal but for the case of ASCII letters. Most words that are compared differ in length: that is seen at once.
inline bool same_word(std::string_view a, std::string_view b) { return a.size() == b.size() && same_letters(a, b); }

/// The text without spaces and tabs around it.
std::string_view without_blanks(std::string_view text);

/// A `Content-Type` that is application/json, with or without parameters.
bool is_json_type(std::string_view content_type);

/// Whether one `Accept` line takes a media type (RFC 9110, 12.5.1): wildcards count, a quality of zero refuses.
bool accepts(std::string_view accept, std::string_view type, std::string_view subtype);

} // namespace troupe::protocol

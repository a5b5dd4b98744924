#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// A text as one segment of a URI's path: all but the unreserved characters (RFC 3986, section 2.3) become `%XX`.
std::string percent_encoded(std::string_view text);

/// The text that a segment stands for; nothing when a `%` is not followed by two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view segment);

} // namespace troupe::protocol

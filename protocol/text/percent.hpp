#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Encodes a text as one segment of a URI's path: all but the unreserved characters (RFC 3986, 2.3) become `%XX`.
std::string percent_encoded(std::string_view text);

/// Decodes a segment; nothing when a `%` is not followed by two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view segment);

} // namespace troupe::protocol

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

// How header fields of 2026-07-28 that repeat a part of the body, such as `Mcp-Name`, carry any text (2026-07-28,
// transports, "Value Encoding"): as it is, or as `=?base64?<padded base64 of its UTF-8>?=`.

/// The text that a field's value means. A value without the marks, which are exact, means itself. Nothing when what is
/// between the marks is no base64, or no UTF-8.
std::optional<std::string> decoded_header(std::string_view value);

/// The value of a field for a text of UTF-8; encoded only where it must be.
std::string encoded_header(std::string_view text);

} // namespace troupe::protocol

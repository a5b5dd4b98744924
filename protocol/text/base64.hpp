#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Base64 with padding (RFC 4648, section 4), as content blocks have it.
std::string base64(std::string_view bytes);

/// Decodes that. Nothing when the text is anything else, or has bits that mean nothing.
std::optional<std::string> from_base64(std::string_view text);

/// With the alphabet for URLs, without padding (RFC 4648, section 5).
std::string base64url(std::string_view bytes);

/// Decodes the alphabet for URLs, without padding (RFC 7515, 2). Nothing when the text is anything else, or has bits
/// that mean nothing.
std::optional<std::string> from_base64url(std::string_view text);

} // namespace troupe::protocol

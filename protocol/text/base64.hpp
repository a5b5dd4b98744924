#pragma once

#include <string>
#include <string_view>

namespace troupe::protocol {

/// Base64 with padding (RFC 4648, section 4), as content blocks have it.
std::string base64(std::string_view bytes);

} // namespace troupe::protocol

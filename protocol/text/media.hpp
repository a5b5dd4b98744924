#pragma once

#include <string_view>

namespace troupe::protocol {

/// A `Content-Type` that is application/json, with or without parameters.
bool is_json_type(std::string_view content_type);

/// Whether one `Accept` line takes a media type (RFC 9110, 12.5.1): wildcards count, a quality of zero refuses.
bool accepts(std::string_view accept, std::string_view type, std::string_view subtype);

} // namespace troupe::protocol
